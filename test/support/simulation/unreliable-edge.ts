import type { CodeHost } from '../../../control-plane/src/ports/code-host/code-host.ts';
import {
  type SeenMove,
  type Tracker,
  TrackerError,
} from '../../../control-plane/src/ports/tracker/tracker.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';

/** Something that people can see outside; `readyOf`: the attempt whose work waits for a review with it. */
export type VisibleEffect = { kind: string; issueId: string; detail: string; readyOf?: string };

/** How a control plane reaches tracker and code host: sometimes not, and what it changes is seen. */
type Edge = {
  fails(): boolean;
  /** Whether a move is answered like any other and has no effect. */
  ignoresMoves(): boolean;
  effect(effect: VisibleEffect): void;
  moved(issueId: string, state: string): void;
  /** The file itself, past every fault. */
  look: DatabaseProbe;
};

export function unreliableTracker(tracker: Tracker, edge: Edge): Tracker {
  const reach = (): void => {
    if (edge.fails()) throw new TrackerError('transport', 'the tracker does not answer');
  };
  const told = (kind: string, issueId: string, detail: string): void => {
    reach();
    edge.effect({ kind, issueId, detail });
  };
  return {
    ...tracker,
    fetchByStates: async (states) => {
      reach();
      return tracker.fetchByStates(states);
    },
    fetchChanged: async (sinceMs) => {
      reach();
      return tracker.fetchChanged?.(sinceMs) ?? [];
    },
    fetchByIds: async (ids) => {
      reach();
      return tracker.fetchByIds(ids);
    },
    transition: async (issueId, toState) => {
      told('transition', issueId, toState);
      const before = await standing(edge.look, issueId);
      if (edge.ignoresMoves()) return before;
      const seen = await tracker.transition(issueId, toState);
      if (before.state !== toState) edge.moved(issueId, toState);
      return seen;
    },
    upsertComment: async (issueId, key, body) => {
      told('comment', issueId, key);
      return tracker.upsertComment(issueId, key, body);
    },
    attach: async (issueId, attachment) => {
      told('attach', issueId, attachment.url);
      return tracker.attach(issueId, attachment);
    },
  };
}

export function unreliableCodeHost(codeHost: CodeHost, edge: Edge): CodeHost {
  return {
    ...codeHost,
    openPullRequest: async (input) => {
      if (edge.fails()) throw new Error('the code host does not answer');
      const { branch, attemptId, issueIdentifier: issueId, draft } = input;
      const effect = { kind: 'pull-request', issueId, detail: `${branch} ${attemptId}` };
      edge.effect({ ...effect, ...(draft ? {} : { readyOf: attemptId }) });
      return codeHost.openPullRequest(input);
    },
  };
}

/** Where the issue stands in the tracker itself. */
async function standing(look: DatabaseProbe, issueId: string): Promise<SeenMove> {
  const { rows } = await look.execute({
    sql: 'select state, updated_at_ms from local_issues where id = ?',
    args: [issueId],
  });
  const [row] = rows;
  const state = rowText(row?.['state']);
  return { before: state, state, updatedAtMs: Number(row?.['updated_at_ms']) };
}
