"""bounded-contexts keeps contexts apart, except for what they share."""

from looking import outcome, told

NAME = "bounded-contexts"
SHOP = {f"shop/{name}.py": "" for name in ("__init__", "orders/__init__", "stock/__init__", "stock/names", "model")}
CONTEXTS = {"contexts": {"orders": "shop.orders", "stock": "shop.stock"}}


def test_one_context_does_not_import_another(tmp_path):
    files = SHOP | {"shop/orders/__init__.py": "import os\nfrom shop.stock import names\n"}
    assert told(tmp_path, NAME, files, options=CONTEXTS) == [
        ("shop/orders/__init__.py", 2, "shop.orders of orders imports shop.stock.names of stock")
    ]


def test_what_is_shared_may_be_imported_also_where_it_is_inside_one(tmp_path):
    files = SHOP | {"shop/orders/__init__.py": "from shop.stock import names\n"}
    assert told(tmp_path, NAME, files, options={**CONTEXTS, "shared": ["shop.stock.names"]}) == []


def test_code_of_no_context_may_use_all(tmp_path):
    files = SHOP | {
        "shop/model.py": "import shop.orders\nimport shop.stock\n",
        "shop/stock/__init__.py": "import shop.model\n",
    }
    assert told(tmp_path, NAME, files, options=CONTEXTS) == []


def test_a_context_that_does_not_exist_is_broken_not_kept(tmp_path):
    came = outcome(tmp_path, NAME, SHOP, options={"contexts": {"orders": "shop.orders", "mail": "shop.mail"}})
    assert came.broken == "there is no module shop.mail. Correct the contexts of bounded-contexts."


def test_one_context_alone_is_broken_not_kept(tmp_path):
    came = outcome(tmp_path, NAME, SHOP, options={"contexts": {"orders": "shop.orders"}})
    assert came.broken.startswith("fewer than two contexts are given.")
