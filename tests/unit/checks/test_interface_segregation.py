"""interface-segregation opens only the public modules of a package to others."""

from looking import outcome, told

NAME = "interface-segregation"
SHOP = {f"shop/{name}.py": "" for name in ("__init__", "stock/__init__", "stock/api", "stock/rows", "web")}
PUBLIC = {"public": {"shop.stock": ["shop.stock.api"]}}


def test_a_hidden_module_is_not_for_others(tmp_path):
    files = SHOP | {"shop/web.py": "from shop.stock import api, rows\n"}
    assert told(tmp_path, NAME, files, options=PUBLIC) == [
        ("shop/web.py", 1, "shop.web imports shop.stock.rows, which shop.stock does not offer (shop.stock.api)")
    ]


def test_the_package_itself_is_hidden_unless_it_is_named(tmp_path):
    files = SHOP | {"shop/web.py": "import shop.stock\n"}
    assert len(told(tmp_path / "1", NAME, files, options=PUBLIC)) == 1
    assert told(tmp_path / "2", NAME, files, options={"public": {"shop.stock": ["shop.stock"]}}) == []


def test_inside_the_package_everything_is_open(tmp_path):
    files = SHOP | {"shop/stock/api.py": "from shop.stock import rows\n", "shop/web.py": "import shop.stock.api\n"}
    assert told(tmp_path, NAME, files, options=PUBLIC) == []


def test_a_package_that_does_not_exist_is_broken_not_kept(tmp_path):
    came = outcome(tmp_path, NAME, SHOP, options={"public": {"shop.stok": ["shop.stock.apy"]}})
    assert came.broken.startswith("there is no module shop.stock.apy, shop.stok.")


def test_no_packages_are_broken_not_kept(tmp_path):
    assert outcome(tmp_path, NAME, SHOP).broken.startswith("no package is given.")
