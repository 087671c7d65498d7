import { messageOf } from '@switchyard/shared/message-of';
import type { RepositoryServer } from '../../engine/agent-engine.ts';
import { readServerDeclarations } from '../../engine/read-server-declarations.ts';
import type { AttemptContext } from '../attempt-deps.ts';

const FILE = '.mcp.json';

/**
 * MCP servers that the repository declares and that a person allowed. They run in the agent's
 * container with its network rules; without a container there are none. Call it while no agent runs
 * there.
 */
export async function readRepositoryServers(
  context: AttemptContext,
  workspacePath: string,
): Promise<RepositoryServer[]> {
  const { deps, spec, recorder } = context;
  if (spec.repositoryServers !== true) return [];
  const warn = (message: string): Promise<void> =>
    recorder.event('notice', { level: 'warning', message });
  if (deps.containers.isolation !== 'docker') {
    await warn(`The MCP servers in ${FILE} are not started: they run in containers only.`);
    return [];
  }
  const text = await deps.workspaces.readInstructions(workspacePath, [FILE]);
  if (text === null) return [];
  try {
    const servers = readServerDeclarations(text);
    const names = servers.map(({ name }) => name).join(', ');
    if (names !== '') await recorder.log('runner', `MCP servers of the repository: ${names}`);
    return servers;
  } catch (error) {
    await warn(`The MCP servers in ${FILE} are not started: ${messageOf(error)}`);
    return [];
  }
}
