import { updateMirror } from '../../../runner/src/workspace/mirror/mirror.ts';
import type { Workspaces } from '../../../runner/src/workspace/open-workspaces.ts';
import { prepareWorkspace } from '../../../runner/src/workspace/prepare-workspace.ts';
import { removeWorkspace } from '../../../runner/src/workspace/remove-workspace.ts';
import { settle } from './settle.ts';

/** Issues that all belong to one repository. */
export type IssuesOfOne = {
  /** Prepares their workspaces at once; answers how long that took, in milliseconds. */
  prepare: (...identifiers: string[]) => Promise<number>;
  remove: (identifiers: readonly string[]) => Promise<void>;
  mirrorPath: () => Promise<string>;
};

const identity = { name: 'Bench', email: 'bench@example.test' };

export function issuesOfOne(workspaces: Workspaces, url: string): IssuesOfOne {
  const prepareOne = (identifier: string): Promise<unknown> =>
    prepareWorkspace(workspaces, {
      issue: { identifier, title: 'Work' },
      source: { url },
      identity,
      nowMs: Date.now(),
    });
  return {
    prepare: async (...identifiers) => {
      await settle(workspaces.paths.root);
      const startedMs = performance.now();
      await Promise.all(identifiers.map(prepareOne));
      return performance.now() - startedMs;
    },
    remove: async (identifiers) => {
      for (const identifier of identifiers) await removeWorkspace(workspaces, identifier);
    },
    mirrorPath: async () => (await updateMirror(workspaces, { url })).path,
  };
}
