// Tells the engine what vitest does, one line of JSON per fact, from vitest's own process.
import telling from "./telling.cjs";

const { send, end, shown, id, plain } = telling;
const said = (error) => plain(`${error?.name ?? "Error"}: ${error?.message ?? error}`);

export default class {
  ids = new Map();

  onTestModuleCollected(module) {
    const path = shown(module.moduleId);
    const tests = [...module.children.allTests()];
    for (const test of tests) this.ids.set(test.id, id(path, this.names(test)));
    send({ fact: "collected", ids: tests.map((test) => this.ids.get(test.id)) });
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
      id: this.ids.get(test.id),
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
    end(reason === "interrupted" ? 2 : 0);
  }

  names(test) {
    const names = [test.name];
    for (let at = test.parent; at?.type === "suite"; at = at.parent) names.unshift(at.name);
    return names;
  }
}
