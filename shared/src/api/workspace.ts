import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/** `offline`: its runner is not connected; everything about it is as it was last reported. */
const WorkspaceStatus = z.enum(['in_use', 'idle', 'offline']);

export const Workspace = namedObject('Workspace', {
  key: z.string(),
  runnerId: z.string(),
  path: z.string(),
  status: WorkspaceStatus,
  /** Identifier of the issue that it was made for. */
  issue: z.string(),
  diskBytes: z.number(),
  /** False: at least `diskBytes`; the runner has not counted everything yet. */
  diskComplete: z.boolean(),
  lastModifiedAt: z.iso.datetime(),
  reportedAt: z.iso.datetime(),
});
export type Workspace = z.infer<typeof Workspace>;

export const WorkspaceList = namedObject('WorkspaceList', {
  workspaces: z.array(Workspace),
  total: z.int(),
  /** Bytes of all that the filter leaves. */
  totalDiskBytes: z.number(),
  /** Runners that did not answer just now, with the reason. */
  unavailable: z.array(z.object({ runnerId: z.string(), reason: z.string() })),
});
export type WorkspaceList = z.infer<typeof WorkspaceList>;
