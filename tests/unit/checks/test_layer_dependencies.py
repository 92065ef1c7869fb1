"""layer-dependencies lets imports go down, never up or sideways."""

from looking import outcome, told

NAME = "layer-dependencies"
SHOP = {f"src/shop/{name}.py": "" for name in ("__init__", "web", "mail", "store", "model")}
LAYERS = {"within": "shop", "layers": ["web", ["mail", "store"], "model"]}


def shop(**texts):
    return SHOP | {f"src/shop/{name}.py": text for name, text in texts.items()}


def test_an_import_upwards_is_told_with_both_ends(tmp_path):
    files = shop(model="import os\nfrom shop import web\n")
    assert told(tmp_path, NAME, files, options=LAYERS) == [
        ("src/shop/model.py", 2, "shop.model imports shop.web: shop.web is above shop.model")
    ]


def test_neighbours_do_not_know_each_other(tmp_path):
    assert told(tmp_path, NAME, shop(mail="import shop.store\n"), options=LAYERS) == [
        (
            "src/shop/mail.py",
            1,
            "shop.mail imports shop.store: shop.mail and shop.store are in the same layer and must stay independent",
        )
    ]


def test_imports_downwards_are_fine_also_past_a_layer(tmp_path):
    files = shop(web="from shop import mail, model, store\n", store="import shop.model\n")
    assert told(tmp_path, NAME, files, options=LAYERS) == []


def test_a_layer_that_does_not_exist_is_broken_not_kept(tmp_path):
    came = outcome(tmp_path, NAME, SHOP, options={"layers": ["shop.web", "shop.modle"]})
    assert came.broken == "there is no module shop.modle. Correct the layers of layer-dependencies."


def test_no_layers_are_broken_not_kept(tmp_path):
    assert outcome(tmp_path, NAME, SHOP).broken.startswith("no layers are given.")


def test_a_repository_without_packages_has_no_layers_to_break(tmp_path):
    assert told(tmp_path, NAME, {"a.py": "import os\n"}, options=LAYERS) == []
