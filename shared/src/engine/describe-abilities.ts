import type { EngineCapabilities } from './runner-engine.ts';
import type { WireApi } from '../model-providers/wire-api.ts';

/** One thing that an agent engine does, or does not do, in words for people. */
export type EngineAbility = {
  name: 'formats' | 'steering' | 'resume' | 'questions' | 'effort' | 'operator';
  supported: boolean;
  text: string;
};

/** Formats of model providers as people call them. */
export const WIRE_API_NAMES: Readonly<Record<WireApi, string>> = {
  responses: 'OpenAI Responses',
  chat: 'OpenAI Chat Completions',
  messages: 'Anthropic Messages',
  gemini: 'Gemini generateContent',
};

/** What an agent engine can do, sentence by sentence, always in the same order. */
export function describeAbilities(capabilities: EngineCapabilities): EngineAbility[] {
  const { wireApis, steering, resume, questions, reasoningEffort, operator } = capabilities;
  const say = (name: EngineAbility['name'], supported: boolean, yes: string, no: string) => ({
    name,
    supported,
    text: supported ? yes : no,
  });
  const formats = wireApis.map((api) => WIRE_API_NAMES[api]).join(', ');
  return [
    { name: 'formats', supported: true, text: `Asks model providers in ${formats}.` },
    say(
      'steering',
      steering === 'joins',
      'A message to the agent joins the running turn.',
      'A message to the agent waits for the next turn.',
    ),
    say(
      'resume',
      resume,
      'The next attempt continues the thread of the last one.',
      'Every attempt begins a new thread; the workspace and the hand-over remain.',
    ),
    say(
      'questions',
      questions,
      'The agent asks people questions and waits for the answers.',
      'The agent cannot ask people during a turn.',
    ),
    say(
      'effort',
      reasoningEffort,
      'Its models take a reasoning effort.',
      'A reasoning effort has no effect.',
    ),
    say(
      'operator',
      operator,
      'Operators can look at its threads, account and models.',
      'It has no threads, account or models that operators could look at (501).',
    ),
  ];
}
