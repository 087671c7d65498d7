import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/**
 * `offline`: the runner is not connected, and everything about the workspace is from its last
 * report.
 */
const WorkspaceStatus = z.enum(['in_use', 'idle', 'offline']);

export const Workspace = namedObject('Workspace', {
  key: z.string(),
  runnerId: z.string(),
  path: z.string(),
  status: WorkspaceStatus,
  /** Identifier of the issue that the workspace was made for. */
  issue: z.string(),
  diskBytes: z.number(),
  /** False: the size is at least `diskBytes`, since the runner has not counted everything yet. */
  diskComplete: z.boolean(),
  lastModifiedAt: z.iso.datetime(),
  reportedAt: z.iso.datetime(),
});
export type Workspace = z.infer<typeof Workspace>;

export const WorkspaceList = namedObject('WorkspaceList', {
  workspaces: z.array(Workspace),
  total: z.int(),
  /** Total bytes of all workspaces that match the filter. */
  totalDiskBytes: z.number(),
  /** Runners that did not answer this request, with the reason. */
  unavailable: z.array(z.object({ runnerId: z.string(), reason: z.string() })),
});
export type WorkspaceList = z.infer<typeof WorkspaceList>;
