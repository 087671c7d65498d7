import { failingTestFix } from './failing-test-project.ts';
import type { ProviderRequest } from './provider-request.ts';
import { type Step, applyPatch, askUser, exec, reason, say, together } from './step.ts';

export type ReadyScript = (request: ProviderRequest) => Step;

const DONE = 'SWITCHYARD_STATUS: DONE';
const BLOCKED = 'SWITCHYARD_STATUS: BLOCKED';

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

/** Steps by the number of tool results in this turn; the last one repeats. */
function byStep(steps: readonly [Step, ...Step[]], pace = AT_ONCE): ReadyScript {
  return ({ stepIndex }) => paced(steps[stepIndex] ?? steps.at(-1) ?? steps[0], pace);
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

const summary = `\`formatDuration\` counted units with \`Math.round\`, so 5399 seconds became two hours and the rest was lost.

- Units are now counted with \`Math.floor\`; what is left goes to the next smaller unit.
- A duration of zero reads \`0 s\` instead of nothing.

I ran \`node --test\`: all three tests pass.

${DONE}`;

const notRepaired = `The tests still fail after my change; the last output says why. I leave the change in place for you to look at.

${BLOCKED}`;

/** Looks, runs the tests, reads, patches, runs them again, and reports what really came out. */
export function fixFailingTest(pace = AT_ONCE): ReadyScript {
  const steps = [lookAround, runTests, readCode, repair, runTestsAgain];
  return ({ stepIndex, toolOutputs }) => {
    const step = steps[stepIndex];
    if (step) return paced(step, pace);
    const passed = toolOutputs.at(-1)?.includes('exited with code 0') ?? false;
    return paced(together(say(passed ? summary : notRepaired), usage(6890, 143)), pace);
  };
}

/** The agent gives the work back. */
export const blocked: ReadyScript = byStep([
  exec('git ls-files'),
  say(`I need access to the staging database before I can go on.\n\n${BLOCKED}`),
]);

/** Ends turn after turn without saying that it is done. */
export const noMarker: ReadyScript = byStep([
  exec('git ls-files'),
  say('I have looked at the files and will continue.'),
]);

const colour = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour should the button have?',
  options: [
    { label: 'Blue', description: 'As in the rest of the application' },
    { label: 'Green', description: 'As in the design draft' },
  ],
};

/** Asks the person one question (id `colour`) and writes the answer into colour.txt. */
export const asksQuestion: ReadyScript = ({ stepIndex, toolOutputs }) => {
  if (stepIndex === 0) return askUser([colour]);
  const answer = /"answers":\s*\[\s*"([A-Za-z ]{1,40})"/.exec(toolOutputs.join('\n'))?.[1];
  if (!answer) return say(`Nobody told me the colour.\n\n${BLOCKED}`);
  if (stepIndex === 1) return exec(`printf '%s\\n' '${answer}' > colour.txt`);
  return say(`The button is ${answer} now.\n\n${DONE}`);
};

/** Changes a file and commits by itself instead of leaving that to the runner. */
export const commitsItself: ReadyScript = byStep([
  exec('echo "made by the agent" > agent.txt'),
  exec(
    'git add agent.txt && git -c user.name=Agent -c user.email=agent@example.invalid commit -q -m "Add agent.txt"',
  ),
  say(`I committed agent.txt.\n\n${DONE}`),
]);

/** One command that runs for `seconds`, for interrupts and stalls. */
export const slow = (seconds = 300): ReadyScript =>
  byStep([exec(`sleep ${Math.trunc(seconds)}`, 30_000), say(`I waited.\n\n${DONE}`)]);

/** A script that may wait for something before it answers. */
type SlowScript = (request: ProviderRequest) => Step | Promise<Step>;

/**
 * Chooses by what the engine was told, for example an issue's identifier or title in the prompt;
 * the first match wins. So one provider serves many attempts.
 */
export function byPrompt(
  scripts: readonly { match: string; script: SlowScript }[],
  otherwise: SlowScript,
): SlowScript {
  return (request) => {
    const prompt = request.userTexts.join('\n');
    const found = scripts.find(({ match }) => prompt.includes(match));
    return (found?.script ?? otherwise)(request);
  };
}
