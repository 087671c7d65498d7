import type { LeaseTimes } from '@switchyard/shared/protocol/lease-times';
import type { Click } from './people.ts';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';
import type { MergeClick } from './merge-people.ts';
import type { TreeClick } from './tree-people.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { Behaviour } from './sim-agent.ts';
import type { CheckScript } from './sim-checks.ts';
import type { Fault } from './trouble.ts';

/** What a mutation may change of a world, all of it through what the parts are given. */
export type Tampering = {
  variables?: Record<string, string>;
  rewrite?: (statement: BoundStatement) => BoundStatement;
  answersEarly?: (statements: BoundStatement[]) => boolean;
  everyoneLeads?: boolean;
  leases?: Partial<LeaseTimes>;
  blindReaper?: boolean;
  noDeadMan?: boolean;
};

/** What happens in a world; what is left out is drawn from the seed. */
export type Scenario = {
  faults?: readonly Fault[];
  clicks?: Partial<Record<Click, number>>;
  behaviours?: Partial<Record<Behaviour, number>>;
  /** Frames that a runner had sent before its socket was given up are still looked at. */
  lateFrames?: boolean;
  /** Whether issues have a chain of engines and accounts; drawn from the seed when left out. */
  chain?: boolean;
  /** What comes of declared checks, and that there are some; drawn from the seed when left out. */
  checks?: Partial<Record<CheckScript, number>>;
  /** Whether agents plan first and people approve the plans; drawn from the seed when left out. */
  plans?: boolean;
  /** Whether people split issues into sub-issues; drawn from the seed when left out. */
  trees?: boolean;
  treeClicks?: Partial<Record<TreeClick, number>>;
  /** The merge policy of the repository, null: none; drawn from the seed when left out. */
  merges?: MergeMode | null;
  mergeClicks?: Partial<Record<MergeClick, number>>;
  /** Whether clocks of control planes are wrong and are set; drawn from the seed when left out. */
  clocks?: boolean;
  /** How long a suspended runner sleeps, one of them at a time, milliseconds. */
  sleepMs?: readonly [shortest: number, longest: number];
};

export type Template = { path: string; runnerIds: string[]; audience: string };

export type WorldOptions = {
  seed: number;
  folder: string;
  template: Template;
  tampering: Tampering;
  scenario: Scenario;
  echo: boolean;
};
