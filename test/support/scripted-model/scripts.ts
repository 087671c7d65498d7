import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import {
  BLOCKED,
  DONE,
  type ReadyScript,
} from '../../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type AskedQuestion,
  exec,
  say,
  type Step,
} from '../../../control-plane/scripted-provider/step.ts';

/** Steps by the number of tool results in this turn; the last one repeats. */
function byStep(steps: readonly [Step, ...Step[]]): ReadyScript {
  return ({ stepIndex }) => steps[stepIndex] ?? steps.at(-1) ?? steps[0];
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
  // Engines tell answers as JSON, or as words.
  const told = /(?:"answers":\s*\[\s*"|"="|The answer: )([A-Za-z]{1,40})/;
  const answer = told.exec(toolOutputs.join('\n'))?.[1];
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

/** The model asks the person. */
const askUser = (questions: AskedQuestion[]): Step => ({
  outputs: [{ type: 'questions', questions }],
});
