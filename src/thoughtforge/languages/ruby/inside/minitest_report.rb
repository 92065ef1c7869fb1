# Runs minitest for the engine: loads the test files, tells every test and how it ended.
require_relative "telling"
require "minitest"

module ThoughtforgeMinitest
  T = ThoughtforgeTelling
  SPEC = /\Atest_\d{4}_/
  JUDGES = [Minitest, Minitest::Assertions, Minitest::Test, Minitest::Runnable, Minitest::Result, Minitest::Reportable]

  class Reporter < Minitest::AbstractReporter
    def initialize(ids)
      super()
      @ids = ids
    end

    def record(result)
      id = @ids[ThoughtforgeMinitest.key(result.klass, result.name, result.source_location)]&.shift
      T.tell("broken", why: "a test ran that was not collected: #{result.klass}##{result.name}") if id.nil?
      return if id.nil?

      path = id.partition("::").first
      fact = { id: id, when: "call", path: path, seconds: result.time, line: result.source_location.last.to_i }
      T.tell("result", **fact, **ThoughtforgeMinitest.outcome(result, path))
    end
  end

  module_function

  def key(klass, name, place)
    [klass.to_s, name.to_s, File.expand_path(place.first.to_s)]
  end

  def outcome(result, path)
    return { outcome: "skipped" } if result.skipped?
    return { outcome: "passed" } if result.passed?

    failure = result.failure
    error = failure.respond_to?(:error) ? failure.error : failure
    why, missing = error.is_a?(Minitest::Assertion) ? ["assertion", ""] : T.cause(error)
    line = T.line_in(path, error)
    said = { outcome: "failed", cause: why, missing: missing, error: T.said(error) }
    line.zero? ? said : said.merge(line: line)
  end

  # Every test by its class, its method and the file that has it.
  def collect
    ids = Hash.new { |known, key| known[key] = [] }
    Minitest::Runnable.runnables.each do |klass|
      klass.runnable_methods.sort.each do |name|
        place = klass.instance_method(name).source_location
        ids[key(klass, name, place)] << T.id(T.shown(place.first), shown_name(klass, name))
      end
    end
    ids
  end

  def shown_name(klass, name)
    SPEC.match?(name) ? "#{klass} > #{name.sub(SPEC, '')}" : "#{klass}::#{name}"
  end

  def main
    Minitest.define_singleton_method(:autorun) {} # we run them
    T.load_files
    Minitest.seed = 0
    ids = collect
    T.tell("collected", ids: ids.values.flatten)
    run(ids) unless T::ASK["collect_only"]
    T.check_judges(JUDGES)
    T.finish(0)
  end

  def run(ids)
    reporter = Reporter.new(ids)
    Minitest.extensions.clear
    Minitest.extensions << "thoughtforge"
    Minitest.define_singleton_method(:plugin_thoughtforge_init) do |_|
      self.reporter.reporters.clear
      self.reporter << reporter
    end
    Minitest.run(["--seed", "0"])
  end
end

ThoughtforgeMinitest.main
