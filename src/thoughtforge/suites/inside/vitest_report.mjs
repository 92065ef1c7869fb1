// Tells the engine what vitest does, one line of JSON per fact, from vitest's own process.
import { writeSync } from "node:fs";
import { relative } from "node:path";

const fd = Number(process.env.THOUGHTFORGE_REPORT_FD);
const root = process.env.THOUGHTFORGE_ROOT;
const began = performance.now();

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

const shown = (file) => relative(root, file);
const said = (error) => `${error?.name ?? "Error"}: ${String(error?.message ?? error).trim()}`.slice(0, 2000);

export default class {
  onTestModuleCollected(module) {
    const ids = [...module.children.allTests()].map((test) => this.id(module, test));
    send({ fact: "collected", ids });
  }

  onTestModuleEnd(module) {
    for (const error of module.errors()) {
      const found = error.stacks?.find((place) => place.file === module.moduleId);
      const line = found?.line ?? 0;
      send({ fact: "unreadable", path: shown(module.moduleId), line, error: said(error), cause: "other", missing: "" });
    }
  }

  onTestCaseResult(test) {
    const { state, errors } = test.result();
    const error = errors?.[0];
    const place = error?.stacks?.find((at) => at.file === test.module.moduleId);
    send({
      fact: "result",
      id: this.id(test.module, test),
      when: "call",
      outcome: state === "passed" || state === "skipped" ? state : "failed",
      error: state === "failed" ? said(error) : "",
      path: shown(test.module.moduleId),
      line: place?.line ?? test.location?.line ?? 0,
      seconds: (test.diagnostic()?.duration ?? 0) / 1000,
    });
  }

  onTestRunEnd(modules, errors, reason) {
    if (errors.length) send({ fact: "broken", why: `an error outside of any test: ${said(errors[0])}` });
    const code = reason === "interrupted" ? 2 : 0;
    send({ fact: "end", code, seconds: (performance.now() - began) / 1000 });
  }

  id(module, test) {
    return `${shown(module.moduleId)} > ${test.fullName}`;
  }
}
