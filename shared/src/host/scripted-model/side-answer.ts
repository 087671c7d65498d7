import type { ParsedRequest } from './formats/wire-format.ts';
import type { Step } from './step.ts';

/** Prompts with which engines do side tasks, and the answers that they accept. */
const SIDE_PROMPTS: readonly { prompt: RegExp; answer: 'title' | '<severity>0</severity>' }[] = [
  { prompt: /you are a title generator|you are naming a coding session/i, answer: 'title' },
  { prompt: /generate a (?:concise|short)[^.]{0,60}title/i, answer: 'title' },
  { prompt: /summarize this coding conversation in under/i, answer: 'title' },
  { prompt: /you are a security monitor for autonomous/i, answer: '<severity>0</severity>' },
];

/**
 * The answer to a request that is not one of the agent's steps; null: it is one. Engines generate
 * titles of threads in calls of their own, which must not consume a step of the script. `title`:
 * the title of the work.
 */
export function sideAnswer(
  { systemText, userTexts, tools }: Pick<ParsedRequest, 'systemText' | 'userTexts' | 'tools'>,
  title: string,
): Step | null {
  if (tools.length > 0) return null;
  const whole = [systemText, ...userTexts].join('\n');
  const known = SIDE_PROMPTS.find(({ prompt }) => prompt.test(whole));
  // A call that only tests whether the key is accepted.
  const isTest = userTexts.length === 1 && userTexts[0] === 'quota';
  if (known === undefined && !isTest) return null;
  const usage = { input: 40, cachedInput: 0, output: 4, reasoning: 0 };
  const text = known?.answer === 'title' ? title : (known?.answer ?? 'ok');
  return { outputs: [{ type: 'message', text }], usage };
}
