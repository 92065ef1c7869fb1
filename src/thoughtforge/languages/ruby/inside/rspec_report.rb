# Runs RSpec for the engine: loads the spec files, tells every example and how it ended.
require_relative "telling"
require "rspec/core"

module ThoughtforgeRspec
  T = ThoughtforgeTelling
  ASSERTIONS = %w[RSpec::Expectations::ExpectationNotMetError RSpec::Mocks::MockExpectationError
                  RSpec::Expectations::MultipleExpectationsNotMetError RSpec::Core::Pending::PendingExampleFixedError]

  class Formatter
    RSpec::Core::Formatters.register self, :example_passed, :example_failed, :example_pending

    def initialize(ids)
      @ids = ids
    end

    def example_passed(told)
      tell(told.example, outcome: "passed")
    end

    def example_pending(told)
      tell(told.example, outcome: "skipped")
    end

    def example_failed(told)
      error = told.example.exception
      why, missing = ASSERTIONS.include?(error.class.name) ? ["assertion", ""] : T.cause(error)
      line = T.line_in(@ids.fetch(told.example.id).partition("::").first, error)
      more = line.zero? ? {} : { line: line }
      tell(told.example, outcome: "failed", cause: why, missing: missing, error: T.said(error), **more)
    end

    private

    def tell(example, **fact)
      id = @ids.fetch(example.id)
      seconds = example.execution_result.run_time || 0.0
      place = { path: id.partition("::").first, line: example.metadata[:line_number], seconds: seconds }
      T.tell("result", id: id, when: "call", **place, **fact)
    end
  end

  module_function

  def name(example)
    groups = example.example_group.parent_groups.reverse.map(&:description)
    own = example.metadata[:description].to_s
    own = "line #{example.metadata[:line_number]}" if own.empty?
    [*groups, own].join(" > ")
  end

  def collect
    RSpec.world.all_examples.to_h do |example|
      path = example.metadata[:rerun_file_path] || example.metadata[:file_path]
      [example.id, T.id(T.shown(path), name(example))]
    end
  end

  def main
    RSpec::Core::Runner.disable_autorun!
    RSpec.configuration.output_stream = File.open(File::NULL, "w")
    RSpec.configuration.color_mode = :off
    T.load_files { T::ASK["requires"].each { |name| require name } }
    ids = collect
    T.tell("collected", ids: ids.values)
    run(ids) unless T::ASK["collect_only"]
    T.check_judges(judges(RSpec))
    T.finish(0)
  end

  # RSpec and every module and class in it.
  def judges(outer, known = [])
    return known if known.include?(outer)

    known << outer
    inner = outer.constants(false).reject { |name| outer.autoload?(name) }.map { |name| outer.const_get(name) }
    inner.grep(Module).each { |one| judges(one, known) if one.name.to_s.start_with?("RSpec::") }
    known
  end

  def run(ids)
    configuration = RSpec.configuration
    configuration.add_formatter(Formatter.new(ids))
    runner = RSpec::Core::Runner.new(RSpec::Core::ConfigurationOptions.new([]))
    runner.run_specs(RSpec.world.ordered_example_groups)
  end
end

ThoughtforgeRspec.main
