import type { ProviderRequest } from './provider-request.ts';
import { exec, say, type Step } from './step.ts';

/** A command that is still running when words come or the runner restarts. */
const SLOW = 'sleep 4; echo slept';

/**
 * What the model does in the checks of an agent engine: the prompt of each names it as
 * `[check:NAME]` (runner/src/engine-check).
 */
export function checkScript(request: ProviderRequest): Step {
  const prompts = request.userTexts.flatMap((text) => /\[check:([a-z]+)\]/.exec(text)?.[1] ?? []);
  const { stepIndex } = request;
  switch (prompts.at(-1)) {
    case 'shell':
      return stepIndex === 0 ? exec('echo CHECKED-$((6 * 7))') : say('Done.');
    case 'tool':
      return stepIndex === 0
        ? { outputs: [{ type: 'tool', name: 'weather_api', arguments: { city: 'Rome' } }] }
        : say(`The tool says: ${request.toolOutputs.at(-1)}`);
    case 'cancel':
      return { outputs: [{ type: 'message', text: 'I begin.' }], silence: 'after_outputs' };
    case 'words':
      return stepIndex === 0 ? exec(SLOW) : say('Done.');
    case 'adopt':
      return stepIndex === 0 ? exec(SLOW) : say('STILL-HERE');
    case 'resume':
      return say(prompts.includes('answer') ? 'SEEN-BEFORE' : 'Nothing was before.');
    case 'refused':
      return { outputs: [], refusal: { kind: 'unauthorized' } };
    default:
      return say('ANSWER-7391');
  }
}
