// Tells the engine what jest does, one line of JSON per fact, from jest's own process.
const { send, end, shown, id, plain, line } = require("./telling.cjs");

const OUTCOMES = { passed: "passed", failed: "failed", pending: "skipped", skipped: "skipped", todo: "skipped" };

class Telling {
  onTestFileResult(test, file) {
    const path = shown(file.testFilePath);
    const ids = file.testResults.map((result) => id(path, [...result.ancestorTitles, result.title]));
    send({ fact: "collected", ids });
    if (file.testExecError) {
      const error = plain(file.testExecError.stack || file.testExecError.message || file.failureMessage);
      send({ fact: "unreadable", path, line: line(path, error), error, cause: "other", missing: "" });
    }
    file.testResults.forEach((result, at) => this.tell(path, ids[at], result));
  }

  tell(path, id, result) {
    const error = plain(result.failureMessages?.[0]);
    send({
      fact: "result",
      id,
      when: "call",
      outcome: OUTCOMES[result.status] ?? "failed",
      error,
      path,
      line: line(path, error) || result.location?.line || 0,
      seconds: (result.duration ?? 0) / 1000,
    });
  }

  onRunComplete(_contexts, results) {
    end(results.wasInterrupted ? 2 : 0);
  }
}

module.exports = Telling;
