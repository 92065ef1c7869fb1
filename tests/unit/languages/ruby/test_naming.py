"""Which Ruby files are tests, and what their text shows."""

from __future__ import annotations

from thoughtforge.languages.ruby.naming import body, minitest_names, rspec_names

MINITEST = """
module Shop
  class SumsTest < Minitest::Test
    # def test_in_a_comment
    def setup; end

    def test_adds
      assert true
    end

    test "adds more" do
    end
  end
end

describe "calc" do
  describe Shop::Calc do
    it 'adds it\\'s own' do
    end
    it "computes #{name}" do
    end
  end
end
"""
RSPEC = """
module Shop
  RSpec.describe Calc, type: :model do
    context "with two" do
      it("adds") { }
      it { is_expected.to be }
      specify "more" do
      end
    end
  end
end
"""


def test_minitest_names_have_their_class_or_their_groups() -> None:
    assert minitest_names("t.rb", MINITEST) == (
        "t.rb::Shop::SumsTest::test_adds",
        "t.rb::Shop::SumsTest::test_adds_more",
        "t.rb::calc::Shop::Calc > adds it's own",
    )


def test_rspec_names_have_their_groups() -> None:
    assert rspec_names("s.rb", RSPEC) == ("s.rb::Calc > with two > adds", "s.rb::Calc > with two > more")


def test_the_text_of_a_test_ends_with_its_own_end() -> None:
    assert body(["Shop", "SumsTest", "test_adds"], MINITEST) == "    def test_adds\n      assert true\n    end"
    assert body(["Shop", "SumsTest", "test_adds_more"], MINITEST) == '    test "adds more" do\n    end'
    assert body(["Calc > with two > more"], RSPEC) == '      specify "more" do\n      end'
