import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { messageOf } from '@switchyard/shared/message-of';
import { parse } from 'smol-toml';
import * as z from 'zod';

const MAX_AGENTS = 20;

const Words = z.array(z.string().min(1).max(4_096)).min(1).max(100);
/** A path below the home folder or the workspace, which cannot leave it. */
const InnerPath = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^/]/, 'has to be relative')
  .refine((path) => !path.split('/').includes('..'), 'may not lead upwards');

/**
 * An agent of the operator's own that speaks the Agent Client Protocol. `{model}`, `{effort}`,
 * `{token}`, `{baseUrl}` (ends in `/v1`), `{origin}`, `{home}` and `{workspace}` are replaced in
 * `env` and `files` by the attempt's values.
 */
export const ConfiguredAgent = z.strictObject({
  /** Its program with arguments, for the sandbox image. */
  command: Words,
  /** The command without Docker; left out: as in the image. */
  hostCommand: Words.optional(),
  /** Version shown to people. */
  version: z.string().max(100).default('configured'),
  /** Wire formats of model providers that it supports, the preferred one first. */
  wireApis: z.array(WireApi).min(1).max(4),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(65_536)).default({}),
  /** Files for its home folder. */
  files: z
    .record(z.string(), z.string().max(262_144))
    .superRefine((files, context) => {
      for (const path of Object.keys(files)) {
        const issue = InnerPath.safeParse(path).error?.issues[0];
        if (issue !== undefined) context.addIssue(`${path}: ${issue.message}`);
      }
    })
    .default({}),
  /** Paths among `files` that are removed once a thread has begun, since they contain secrets. */
  secretFiles: z.array(InnerPath).max(20).default([]),
  /** Folder of the home in which it stores its threads. */
  sessionsFolder: InnerPath.default('.sessions'),
  sessionsNeedEnd: z.boolean().default(true),
  /** Folders of a repository from which it would run programs. */
  hiddenFolders: z.array(InnerPath).max(20).default([]),
  /** Globs of repository files that would configure the agent. */
  configPaths: z.array(z.string().min(1).max(300)).max(50).default([]),
  instructionFiles: z.array(InnerPath).max(10).default(['AGENTS.md']),
  resume: z.enum(['resume', 'load', 'none']).default('none'),
  /**
   * How a message reaches a running turn: `prompt` for a second one that joins, `none`, or the name
   * of its own method.
   */
  steer: z.string().max(100).default('none'),
  /** Whether the agent asks people questions by elicitation. */
  questions: z.boolean().default(false),
  reasoningEffort: z.boolean().default(false),
});
export type ConfiguredAgent = z.infer<typeof ConfiguredAgent> & { name: string };

const Name = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** The agents file is invalid; the message says where and why. */
export class BadAgents extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BadAgents';
  }
}

/**
 * Reads the agents that this host's operator defines: TOML with a table for each, whose heading is
 * its name. They never come from a control plane, which could otherwise choose what a host runs.
 *
 * @param taken names of Switchyard's own agents
 * @throws BadAgents
 */
export function readConfiguredAgents(text: string, taken: readonly string[]): ConfiguredAgent[] {
  let tables: Record<string, unknown>;
  try {
    tables = parse(text);
  } catch (error) {
    const why = messageOf(error);
    throw new BadAgents(`the agents are not TOML: ${why}`, error);
  }
  const names = Object.keys(tables);
  if (names.length > MAX_AGENTS) throw new BadAgents(`there are more than ${MAX_AGENTS} agents`);
  return names.map((name) => {
    if (!Name.safeParse(name).success) {
      throw new BadAgents(
        `agent ${name}: a name has small letters, digits and hyphens, at most 40, and begins with a letter`,
      );
    }
    if (taken.includes(name)) {
      throw new BadAgents(`agent ${name}: Switchyard has an agent of this name; choose another`);
    }
    const parsed = ConfiguredAgent.safeParse(tables[name]);
    if (parsed.success) return { ...parsed.data, name };
    throw new BadAgents(`agent ${name}: ${z.prettifyError(parsed.error)}`, parsed.error);
  });
}
