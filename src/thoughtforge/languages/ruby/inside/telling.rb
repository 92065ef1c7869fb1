# What the reporters of the Ruby runners share: the pipe to the engine, ids that tell a test's file, and causes.
#
# They run in the process of the tests: what shares it can lie to them. They are a witness, and the engine judges.
require "json"

module ThoughtforgeTelling
  ASK = JSON.parse(File.read(File.join(__dir__, "ask.json")))
  ROOT = ASK["root"]
  BEGAN = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  OWNER = Process.pid
  LOCK = Mutex.new
  PIPE = IO.for_fd(Integer(ENV.delete("THOUGHTFORGE_REPORT_FD")), "w", autoclose: false)
  PIPE.close_on_exec = true
  PIPE.sync = true
  SEEN = Hash.new(0)
  LONGEST = 400
  CORE = [BasicObject, Object, Integer, Float, String, Symbol, Array, Hash, NilClass, TrueClass, FalseClass]
         .flat_map { |judge| [[judge, :==], [judge, :!=]] }

  module_function

  def tell(fact, **more)
    return if Process.pid != OWNER # a forked process says nothing

    LOCK.synchronize { PIPE.write("#{JSON.generate({ fact: fact, **more })}\n") }
  end

  def finish(code)
    tell("end", code: code, seconds: Process.clock_gettime(Process::CLOCK_MONOTONIC) - BEGAN)
  end

  def shown(path)
    File.expand_path(path).delete_prefix("#{ROOT}/")
  end

  # Two tests of one name are told apart by their order.
  def id(path, name)
    whole = "#{path}::#{name}"
    count = (SEEN[whole] += 1)
    count == 1 ? whole : "#{whole} ##{count}"
  end

  def line_in(path, error)
    places = (error.backtrace || []) + [error.message.to_s]
    places.filter_map { |place| place[/#{Regexp.escape(path)}:(\d+)/, 1] }.first.to_i
  end

  def said(error)
    first = error.message.to_s.gsub(/\e\[[0-9;]*m/, "").gsub("#{ROOT}/", "").strip.lines.map(&:strip).reject(&:empty?)
    "#{error.class}: #{first.first(2).join(' ')}"[0, LONGEST]
  end

  # Why something failed, and the name of what is missing, with dots between its parts.
  def cause(error)
    case error
    when LoadError then ["missing", dotted(error.path || error.message[/-- (\S+)/, 1].to_s)]
    when NoMethodError then ["missing", error.name.to_s]
    when NameError then ["missing", [owner(error), error.name.to_s].compact.join(".")]
    else ["other", ""]
    end
  end

  def owner(error)
    holder = error.receiver
    holder.is_a?(Module) && holder != Object ? holder.name&.gsub("::", ".") : nil
  rescue ArgumentError
    nil # this error has no receiver
  end

  def dotted(path)
    path.delete_prefix("#{ROOT}/").delete_prefix("lib/").delete_suffix(".rb").gsub("/", ".")
  end

  # Methods by which tests judge must not come from the product: then a result says nothing.
  def check_judges(modules)
    product = ASK["product"].to_h { |path| [File.join(ROOT, path), path] }
    changed = modules.flat_map { |judge| methods_of(judge) } + CORE.map { |judge, name| judge.instance_method(name) }
    found = changed.filter_map { |method| [product[method.source_location&.first], method] }.select(&:first)
    return if found.empty?

    path, method = found.first
    tell("broken", why: "#{path} changed #{method.owner}##{method.name}, by which tests judge")
  end

  def methods_of(judge)
    own = judge.instance_methods(false) + judge.private_instance_methods(false)
    shared = judge.singleton_methods(false).map { |name| judge.method(name) }
    own.map { |name| judge.instance_method(name) } + shared
  end

  # Loads test files one by one: one that cannot be loaded is named, and the others are still run.
  def load_files
    $LOAD_PATH.unshift(*ASK["load_path"])
    ASK["files"].each do |path|
      yield path if block_given?
      load File.join(ROOT, path)
    rescue SystemExit, StandardError, ScriptError => error
      why, missing = cause(error)
      tell("unreadable", path: path, line: line_in(path, error), error: said(error), cause: why, missing: missing)
    end
  end
end
