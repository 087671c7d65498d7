import { agentKinds } from './agent-kinds.ts';
import { gitKinds } from './git-kinds.ts';
import type { Kind } from './kind.ts';

export const KINDS: readonly Kind[] = [...gitKinds, ...agentKinds];

/** Stands in the title, and so in every prompt. */
export const titleOf = ({ name }: Kind): string => `overnight [${name}]`;

/** The kinds that a run of few takes: one of each thing that once went wrong. */
export const FEW: readonly string[] = [
  'own-branch-left',
  'merge-finished-later',
  'unrelated-history',
  'writes-control-characters',
  'is-blocked',
];
