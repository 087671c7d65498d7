import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import { exec, say } from '../../../control-plane/scripted-provider/step.ts';
import type { Step } from '../../../control-plane/scripted-provider/step.ts';

/** How an issue of a kind has to end. */
export type Expected = {
  status: 'completed' | 'failed' | 'blocked';
  /** What people are told; every end has a reason. */
  reason?: RegExp;
  /** Files of the pull request's branch and what is in them; null: there must be none. */
  files: Readonly<Record<string, RegExp>> | null;
  /** Paths that must not be on that branch. */
  absent?: readonly string[];
  /** What the comment on the issue must say. */
  comment?: RegExp;
  /** Agent runs that may have been paid for; left out: as many as an issue may have. */
  attempts?: number;
};

/** One way in which an agent or its provider misbehaves, and what has to come of it. */
export type Kind = {
  name: string;
  script: (request: ProviderRequest) => Step;
  expected: Expected;
};

const DONE = 'SWITCHYARD_STATUS: DONE';
const YIELD_MS = 60_000;
/** How the runner begins what it sends back to the agent. */
const SENT_BACK =
  /^(?:Your work was not (?:delivered|pushed)|It is not clear which of your commits)/m;

export const done = (words = 'I did it.'): Step => say(`${words}\n\n${DONE}`);
export const commit = (file: string, text = file): string =>
  `printf '%s\\n' '${text}' > ${file} && git add -A && git commit -qm 'add ${file}'`;

const wasSentBack = ({ userTexts }: ProviderRequest): boolean =>
  SENT_BACK.test(userTexts.at(-1) ?? '');

/** One command in the first turn, another one when the work was sent back; then it says that it is done. */
export function agent(first: string, then?: string, words?: string): Kind['script'] {
  return (request) => {
    const command = wasSentBack(request) ? then : first;
    return request.stepIndex === 0 && command !== undefined ? exec(command, YIELD_MS) : done(words);
  };
}

/** The provider's answer to the first calls, as often as it is given; then the agent's. */
export function troubled(trouble: readonly Step[], script: Kind['script']): Kind['script'] {
  let calls = 0;
  return (request) => {
    const step = trouble[calls];
    calls += 1;
    return step ?? script(request);
  };
}

/** Attempts of an issue beyond its first; also of those whose kind says nothing of them. */
export const FURTHER_ATTEMPTS = 1;

export const delivers = (files: Expected['files'], more: Partial<Expected> = {}): Expected => ({
  status: 'completed',
  files,
  ...more,
});
export const endsWith = (status: Expected['status'], reason: RegExp): Expected => ({
  status,
  reason,
  files: null,
});
/** What the agent left in its work against its orders waits for a person; nobody pays for more. */
export const refused = (reason: RegExp): Expected => ({
  ...endsWith('blocked', reason),
  attempts: 1,
});
