import type { EngineCapabilities } from './runner-engine.ts';
import type { WireApi } from '../model-providers/wire-api.ts';

/** One thing that an agent engine does or does not do, as a sentence for people. */
export type EngineAbility = {
  name: 'formats' | 'steering' | 'resume' | 'questions' | 'effort' | 'operator';
  supported: boolean;
  text: string;
};

/** Display names of the providers' API formats. */
export const WIRE_API_NAMES: Readonly<Record<WireApi, string>> = {
  responses: 'OpenAI Responses',
  chat: 'OpenAI Chat Completions',
  messages: 'Anthropic Messages',
  gemini: 'Gemini generateContent',
};

/** An agent engine's capabilities as sentences, always in the same order. */
export function describeAbilities(capabilities: EngineCapabilities): EngineAbility[] {
  const { wireApis, steering, resume, questions, reasoningEffort, operator } = capabilities;
  const formats = wireApis.map((api) => WIRE_API_NAMES[api]).join(', ');
  return [
    { name: 'formats', supported: true, text: `Asks model providers in ${formats}.` },
    ability({
      name: 'steering',
      supported: steering === 'joins',
      yes: 'A message to the agent joins the running turn.',
      no: 'A message to the agent waits for the next turn.',
    }),
    ability({
      name: 'resume',
      supported: resume,
      yes: 'The next attempt continues the thread of the last one.',
      no: 'Every attempt begins a new thread; the workspace and the hand-over remain.',
    }),
    ability({
      name: 'questions',
      supported: questions,
      yes: 'The agent asks people questions and waits for the answers.',
      no: 'The agent cannot ask people during a turn.',
    }),
    ability({
      name: 'effort',
      supported: reasoningEffort,
      yes: 'Its models take a reasoning effort.',
      no: 'A reasoning effort has no effect.',
    }),
    ability({
      name: 'operator',
      supported: operator,
      yes: 'Operators can look at its threads, account and models.',
      no: 'It has no threads, account or models that operators could look at (501).',
    }),
  ];
}

function ability(given: {
  name: EngineAbility['name'];
  supported: boolean;
  yes: string;
  no: string;
}): EngineAbility {
  const { name, supported, yes, no } = given;
  return { name, supported, text: supported ? yes : no };
}
