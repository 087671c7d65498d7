import { failingTestFix, reportFolder } from './failing-test-project.ts';
import type { ProviderRequest } from './provider-request.ts';
import { type Step, applyPatch, exec, reason, say, together } from './step.ts';

export type ReadyScript = (request: ProviderRequest) => Step;

export const DONE = 'SWITCHYARD_STATUS: DONE';
export const BLOCKED = 'SWITCHYARD_STATUS: BLOCKED';

export type Pace = {
  /** How long the model seems to think before each answer, milliseconds. */
  thinkMs: number;
  /** Between two pieces of streamed text, milliseconds. */
  pauseMs: number;
};

const AT_ONCE: Pace = { thinkMs: 0, pauseMs: 0 };

/** Slow enough to follow on a screen: about 12 s for the whole repair. */
export const WATCHABLE: Pace = { thinkMs: 900, pauseMs: 60 };

function paced(step: Step, { thinkMs, pauseMs }: Pace): Step {
  return { delayMs: thinkMs, pauseMs, ...step };
}

const usage = (input: number, output: number): Step => ({
  outputs: [],
  usage: { input, cachedInput: Math.floor(input * 0.8), output, reasoning: Math.floor(output / 2) },
});

const lookAround = together(
  reason('I start with the layout of the project and the state of its tests.'),
  exec('git status --short --branch && git ls-files && cat package.json'),
  usage(4210, 96),
);
const runTests = together(exec('node --test 2>&1 | tail -n 40'), usage(4630, 41));
const readCode = together(
  reason('Two cases fail. Both point at how a unit is counted, so I read that function.'),
  exec('cat src/format-duration.js && sed -n 1,40p test/format-duration.test.js'),
  usage(5480, 88),
);
const repair = together(
  reason(
    'Rounding takes too many of a unit; the rest must go to the smaller ones. Zero needs a word.',
  ),
  applyPatch(failingTestFix),
  usage(6120, 204),
);
const runTestsAgain = together(exec('node --test && git diff --stat'), usage(6540, 38));
const runTestsForReport = together(
  reason('I run them once more and leave the report for whoever reviews this.'),
  exec(
    `mkdir -p ${reportFolder} && node --test --test-reporter=spec | tee ${reportFolder}/node-test.txt && git diff --stat`,
  ),
  usage(6540, 61),
);

const summary = `\`formatDuration\` counted units with \`Math.round\`, so 5399 seconds became two hours and the rest was lost.

- Units are now counted with \`Math.floor\`; what is left goes to the next smaller unit.
- A duration of zero reads \`0 s\` instead of nothing.

I ran \`node --test\`: all three tests pass.

${DONE}`;

const notRepaired = `The tests still fail after my change; the last output says why. I leave the change in place for you to look at.

${BLOCKED}`;

/**
 * Looks, runs the tests, reads, patches, runs them again, and reports what really came out.
 * `leavesReport`: with a file for people, where the route declares a folder for them.
 */
export function fixFailingTest(pace = AT_ONCE, { leavesReport = false } = {}): ReadyScript {
  const lastRun = leavesReport ? runTestsForReport : runTestsAgain;
  const steps = [lookAround, runTests, readCode, repair, lastRun];
  return ({ stepIndex, toolOutputs }) => {
    const step = steps[stepIndex];
    if (step) return paced(step, pace);
    const passed = /\bfail 0\b/.test(toolOutputs.at(-1) ?? '');
    return paced(together(say(passed ? summary : notRepaired), usage(6890, 143)), pace);
  };
}
