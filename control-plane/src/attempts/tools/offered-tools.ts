import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { Deps } from '../../deps.ts';
import type { AgentApi } from '../../ports/ports.ts';
import { trackerApi } from './tracker-api.ts';

/** The tracker and the repository of the attempt that a tool serves. */
type ToolPlace = { tracker: string; repositoryUrl: string };
type Hosts = Pick<Deps, 'codeHosts' | 'trackers'>;

const TOOLS: Record<string, (deps: Hosts, where: ToolPlace) => AgentApi | null> = {
  github_api: ({ codeHosts }, { repositoryUrl }) =>
    codeHosts.find((host) => host.serves(repositoryUrl))?.agentApi?.(repositoryUrl) ?? null,
  tracker_api: ({ trackers }, { tracker }) => trackerApi(trackers.get(tracker)),
};

/** The API that answers a tool; null when the attempt has no tool of this name. */
export function toolNamed(deps: Hosts, name: string, where: ToolPlace): AgentApi | null {
  return Object.hasOwn(TOOLS, name) ? (TOOLS[name]?.(deps, where) ?? null) : null;
}

/** The tools of an attempt: those that are enabled and that its tracker or code host can answer. */
export function offeredTools(
  deps: Hosts,
  where: ToolPlace,
  switchedOn: readonly string[],
): ToolSpec[] {
  return Object.keys(TOOLS).flatMap((name) => {
    const api = switchedOn.includes(name) ? toolNamed(deps, name, where) : null;
    return api === null
      ? []
      : [{ name, description: api.description, inputSchema: api.inputSchema }];
  });
}
