// Tells the engine what jest does, one line of JSON per fact, from jest's own process.
const { writeSync } = require("node:fs");
const { relative } = require("node:path");

const fd = Number(process.env.THOUGHTFORGE_REPORT_FD);
const root = process.env.THOUGHTFORGE_ROOT;
const began = performance.now();
const OUTCOMES = { passed: "passed", failed: "failed", pending: "skipped", skipped: "skipped", todo: "skipped" };

function send(fact) {
  let data = Buffer.from(JSON.stringify(fact) + "\n");
  while (data.length) {
    try {
      data = data.subarray(writeSync(fd, data));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// eslint-disable-next-line no-control-regex
const plain = (text) => String(text ?? "").replace(/\u001b\[[0-9;]*m/g, "").trim().slice(0, 2000);

class Telling {
  onTestFileResult(test, file) {
    const path = relative(root, file.testFilePath);
    const ids = file.testResults.map((result) => this.id(path, result));
    send({ fact: "collected", ids });
    if (file.testExecError) {
      const error = plain(file.testExecError.stack || file.testExecError.message || file.failureMessage);
      send({ fact: "unreadable", path, line: this.line(path, error), error, cause: "other", missing: "" });
    }
    for (const result of file.testResults) this.tell(path, result);
  }

  tell(path, result) {
    const error = plain(result.failureMessages?.[0]);
    send({
      fact: "result",
      id: this.id(path, result),
      when: "call",
      outcome: OUTCOMES[result.status] ?? "failed",
      error,
      path,
      line: this.line(path, error) || result.location?.line || 0,
      seconds: (result.duration ?? 0) / 1000,
    });
  }

  onRunComplete(_contexts, results) {
    send({ fact: "end", code: results.wasInterrupted ? 2 : 0, seconds: (performance.now() - began) / 1000 });
  }

  id(path, result) {
    return `${path} > ${[...result.ancestorTitles, result.title].join(" > ")}`;
  }

  line(path, error) {
    const found = error.match(new RegExp(`${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}:(\\d+)`));
    return found ? Number(found[1]) : 0;
  }
}

module.exports = Telling;
