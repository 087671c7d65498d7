import { fileURLToPath } from 'node:url';
import type { AgentEngine } from '../../agent-engine.ts';
import { createCodexEngine } from '../codex-engine.ts';

const PROGRAM = fileURLToPath(new URL('./odd-app-server.ts', import.meta.url));

/**
 * The Codex adapter with a program in place of Codex that misbehaves as `mode` says; with `missing`
 * that program does not exist.
 */
export function oddEngine(mode: string): AgentEngine {
  const engine = createCodexEngine();
  return {
    ...engine,
    launch: (spec) => {
      const { files, sessionsFolder, archiveFolder = '' } = engine.launch(spec);
      const program =
        mode === 'missing'
          ? ['/nonexistent/engine']
          : [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, mode];
      const env = { HOME: spec.homePath, TOKEN: spec.proxyToken };
      return { argv: program, env, files, sessionsFolder, archiveFolder };
    },
  };
}
