import type { EngineContainer } from '../../container/container-engine.ts';
import type { EngineLaunch } from '../../engine/agent-engine.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';

export type EngineHome = {
  /** Path on the host. */
  path: string;
  /** Folder below `path`, as the engine names it. */
  sessionsFolder: string;
  /** The sessions form a database, which is complete only after the engine has ended. */
  isDatabase: boolean;
  /** Where the sessions are kept between attempts. No container sees it. */
  keptPath: string;
};

/** Where the engine of an attempt works, known before it starts and after its end. */
export type EnginePlace = {
  workspace: PreparedWorkspace;
  home: EngineHome;
  /** Files of its home and folders of the workspace that need protection. */
  launch: Pick<EngineLaunch, 'secretFiles' | 'hiddenFolders'>;
};

/** An engine that is about to start, with all files of its home. */
export type StartingEngine = EnginePlace & { launch: Pick<EngineLaunch, 'files'> };

/** An engine's container. `isAdopted`: a former process of this runner started it. */
export type RunningContainer = EnginePlace & { container: EngineContainer; isAdopted: boolean };
