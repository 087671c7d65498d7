import type { EngineHomeSpec, EngineLaunch } from '../../../agent-engine.ts';
import type { AcpProfile } from '../../acp-profile.ts';
import type { ConfiguredAgent } from './configured-agents.ts';

/**
 * The profile of an agent that the host's operator defines. It is marked experimental, because it
 * is untested.
 */
export function configuredProfile(agent: ConfiguredAgent): AcpProfile {
  const { name, wireApis, questions, reasoningEffort, resume, steer } = agent;
  return {
    name,
    capabilities: {
      wireApis,
      questions,
      reasoningEffort,
      steering: steer === 'none' ? 'queued' : 'joins',
      resume: resume !== 'none',
      operator: false,
      experimental: true,
    },
    configPaths: agent.configPaths,
    instructionFiles: agent.instructionFiles,
    launch: (spec) => launchConfigured(agent, spec),
    resume,
    steer: steer === 'none' || steer === 'prompt' ? { by: steer } : { by: 'method', method: steer },
  };
}

function launchConfigured(agent: ConfiguredAgent, spec: EngineHomeSpec): EngineLaunch {
  if (!agent.wireApis.includes(spec.wireApi)) {
    throw new Error(
      `The agent ${agent.name} asks model providers in the format ${agent.wireApis.join(' or ')}, ` +
        `and this provider has ${spec.wireApi}; choose another provider, or change wireApis of the agent.`,
    );
  }
  const fill = fillerOf(spec);
  const { hostCommand, sessionsFolder, sessionsNeedEnd, secretFiles, hiddenFolders } = agent;
  return {
    argv: spec.sandboxed ? agent.command : (hostCommand ?? agent.command),
    env: {
      ...(spec.sandboxed ? {} : { PATH: process.env.PATH ?? '' }),
      HOME: spec.homePath,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
      ...mapValues(agent.env, fill),
    },
    // The sessions folder exists from the beginning, so that the agent can rely on it.
    files: { ...mapValues(agent.files, fill), [`${sessionsFolder}/.keep`]: '' },
    sessionsFolder,
    sessionsNeedEnd,
    secretFiles,
    ...(spec.repositorySettings === true ? {} : { hiddenFolders }),
  };
}

function fillerOf(spec: EngineHomeSpec): (text: string) => string {
  const values: Record<string, string> = {
    model: spec.model,
    effort: spec.reasoningEffort ?? '',
    token: spec.proxyToken,
    baseUrl: spec.providerBaseUrl,
    origin: new URL(spec.providerBaseUrl).origin,
    home: spec.homePath,
    workspace: spec.workspacePath ?? spec.homePath,
  };
  const names = Object.keys(values).join('|');
  const placeholder = new RegExp(`\\{(${names})\\}`, 'g');
  return (text) => text.replace(placeholder, (whole, name: string) => values[name] ?? whole);
}

function mapValues(
  record: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, change(text)]));
}
