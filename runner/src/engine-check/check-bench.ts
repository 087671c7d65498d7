import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { putFile, withFolder } from '../agent-files/with-folder.ts';
import { type ServedTools, ToolService, servedTools } from '../attempt/tools/tool-service.ts';
import { systemClock } from '../connection/clock.ts';
import type { ContainerEngine, EngineContainer, Mount } from '../container/container-engine.ts';
import { hashToken } from '../egress/grant.ts';
import { ProxyServer } from '../egress/proxy-server.ts';
import { controlSocketPath } from '../egress/start-proxy.ts';
import { toolSocketPath } from '../egress/tools/runner-line.ts';
import type { AgentEngine, EngineSession, ToolCall } from '../engine/agent-engine.ts';
import { memoryJournal } from '../engine/session/memory-journal.ts';
import { ownFreshTree } from '../workspace/disk/own-tree.ts';
import { EventLog } from './event-log.ts';

const RUNNER_ID = 'engine-check';
const STDERR_TAIL_BYTES = 2_000;
const GRANT_MS = 3_600_000;
const GIT_TIMEOUT_MS = 10_000;
const RESOURCES = { memoryBytes: 4 * 2 ** 30, cpus: 2, pids: 512, tmpfsBytes: 2 ** 28 };

/** The tool that is offered to a checked agent. */
export const CHECK_TOOL: ToolSpec = {
  name: 'weather_api',
  description: 'Tells the weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export type CheckTarget = {
  engine: AgentEngine;
  model: string;
  /** Base address of a provider that follows the checks' script, ending in `/v1`. */
  providerUrl: string;
  wireApi: WireApi;
  containers: ContainerEngine;
  image: string;
  /** Empty folder for this run; the caller removes it. */
  folder: string;
  /** Files of the repository, and whether its settings for the agent apply. Default: none, no. */
  repository?: { files: Readonly<Record<string, string>>; settings: boolean };
};

/**
 * An agent as an attempt runs it, for one check: its container or process, the model proxy with the
 * tool server, its own home and repository.
 */
export class CheckBench {
  readonly #target: CheckTarget;
  readonly #folder: string;
  readonly #proxy: ProxyServer;
  readonly #service: ToolService;
  readonly #token = `sw_${randomBytes(24).toString('base64url')}`;
  readonly #ref = { attemptId: `check-${randomBytes(6).toString('hex')}`, epoch: 1 };
  readonly calls: ToolCall[] = [];
  #served: ServedTools | null = null;
  #starts = 0;
  #container: EngineContainer | null = null;
  #session: EngineSession | null = null;
  #journal = memoryJournal();
  events = new EventLog();

  constructor(target: CheckTarget) {
    this.#target = target;
    this.#folder = join(target.folder, this.#ref.attemptId);
    const dataDir = join(target.folder, 'data');
    this.#service = new ToolService({ dataDir, clock: systemClock() });
    const socket = toolSocketPath(controlSocketPath(dataDir));
    this.#proxy = new ProxyServer({ tools: { socket } });
  }

  /** The same path on the host and in the container. */
  get workspacePath(): string {
    return this.#path('workspace');
  }

  get session(): EngineSession {
    if (this.#session === null) throw new Error('the agent is not running');
    return this.#session;
  }

  /** Creates home and repository, and starts the agent. */
  async open(): Promise<void> {
    for (const name of ['home', 'workspace', 'access']) {
      await mkdir(join(this.#folder, name), { recursive: true, mode: 0o755 });
    }
    await this.#makeRepository();
    await this.#proxy.listen();
    const { containers, providerUrl, engine } = this.#target;
    await this.#proxy.grant({
      ...this.#ref,
      tokenHash: hashToken(this.#token),
      upstreamBaseUrl: providerUrl,
      wireApi: this.#target.wireApi,
      apiKey: 'switchyard-check',
      expiresAtMs: Date.now() + GRANT_MS,
      socketFolder: containers.isolation === 'docker' ? this.#access().socketFolder : null,
    });
    this.#served = await this.#service.serve({
      ref: this.#ref,
      requestMs: 0,
      requestOpened: () => undefined,
      turnId: () => null,
      offered: servedTools(engine, [CHECK_TOOL]),
      callTool: (call) => this.#callTool(call),
    });
    await this.start();
  }

  /** Starts a new process of the agent with the existing home. */
  async start(): Promise<void> {
    const { containers, image } = this.#target;
    const launch = this.#launch();
    const home = this.#path('home');
    await withFolder(home, async (root) => {
      for (const [name, text] of Object.entries(launch.files)) {
        await putFile(root, name, (file) => file.writeFile(text));
      }
    });
    const workspace = this.#path('workspace');
    // No process of the agent runs now.
    for (const path of [home, workspace]) await ownFreshTree(path, containers.workIdentity);
    this.#starts += 1;
    this.#container = await containers.start({
      owner: { runnerId: RUNNER_ID, ...this.#ref, bootId: `${this.#starts}` },
      image,
      argv: launch.argv,
      env: launch.env,
      workingDirectory: workspace,
      mounts: [
        ...[workspace, home].map((path) => ({
          hostPath: path,
          containerPath: path,
          readOnly: false,
        })),
        ...(await this.#hidden(launch.hiddenFolders)),
      ],
      resources: RESOURCES,
      proxy: this.#access(),
      stateFolder: join(this.#folder, `state-${this.#starts}`),
    });
    this.#journal = memoryJournal();
    await this.#attach();
  }

  /** Adopts the running agent as another runner process. */
  async adopt(threadId: string): Promise<void> {
    this.session.close();
    await this.#attach(threadId);
  }

  /** Kills the agent's process with all its children. */
  async kill(): Promise<void> {
    this.#session?.close();
    this.#session = null;
    const container = this.#container;
    this.#container = null;
    await container?.stop(0);
    await container?.remove();
  }

  async startThread(): Promise<string> {
    const params = { cwd: this.#path('workspace'), model: this.#target.model };
    return (await this.session.startThread({ ...params, tools: [CHECK_TOOL] })).threadId;
  }

  async resumeThread(threadId: string): Promise<boolean> {
    const params = { threadId, cwd: this.#path('workspace'), model: this.#target.model };
    return (await this.session.resumeThread({ ...params, tools: [CHECK_TOOL] })).resumed;
  }

  /** Begins a turn that the provider's script knows by name. */
  async ask(name: string): Promise<void> {
    const input = { text: `[check:${name}] Go on.`, clientMessageId: `check-${name}` };
    await this.session.startTurn(input, { model: this.#target.model });
  }

  /** The agent's standard error, for a failed check. */
  async stderrTail(): Promise<string> {
    return (await this.#container?.stderrTail(STDERR_TAIL_BYTES).catch(() => '')) ?? '';
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#served?.end();
    await this.#service.close();
    await this.#proxy.close();
  }

  /** With a thread the agent goes on with it, else it has just begun. */
  async #attach(threadId?: string): Promise<void> {
    const { engine, containers } = this.#target;
    if (this.#container === null) throw new Error('the agent is not running');
    const url = `${containers.proxyOrigin(this.#access())}/mcp`;
    const headers = { authorization: `Bearer ${this.#token}` };
    const session = await engine.open({
      stdio: this.#container,
      journal: this.#journal,
      adopted: threadId !== undefined,
      ...(threadId === undefined ? {} : { threadId }),
      workspacePath: this.#path('workspace'),
      callTool: (call) => this.#callTool(call),
      repositorySettings: this.#target.repository?.settings ?? false,
      ...(engine.tools === 'mcp' ? { toolServer: { name: 'switchyard', url, headers } } : {}),
    });
    this.#session = session;
    this.events = new EventLog();
    void this.events.follow(session.events);
  }

  #callTool(call: ToolCall): Promise<{ success: boolean; text: string }> {
    this.calls.push(call);
    return Promise.resolve({ success: true, text: 'It rains.' });
  }

  #launch() {
    const { engine, model, wireApi, containers } = this.#target;
    return engine.launch({
      model,
      wireApi,
      proxyToken: this.#token,
      providerBaseUrl: `${containers.proxyOrigin(this.#access())}/v1`,
      homePath: this.#path('home'),
      workspacePath: this.#path('workspace'),
      repositorySettings: this.#target.repository?.settings ?? false,
      sandboxed: containers.isolation === 'docker',
    });
  }

  /**
   * Mounts an empty folder over each from which the agent would run programs, as for an attempt.
   */
  async #hidden(folders: readonly string[] = []): Promise<Mount[]> {
    if (this.#target.containers.isolation !== 'docker') return [];
    const hostPath = this.#path('empty');
    await mkdir(hostPath, { recursive: true, mode: 0o755 });
    return await Promise.all(
      folders.map(async (name) => {
        const containerPath = join(this.#path('workspace'), name);
        await mkdir(containerPath, { recursive: true });
        return { hostPath, containerPath, readOnly: true };
      }),
    );
  }

  #access(): { socketFolder: string; hostPort: number } {
    return { socketFolder: this.#path('access'), hostPort: this.#proxy.hostPort };
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #makeRepository(): Promise<void> {
    const cwd = this.workspacePath;
    await withFolder(cwd, async (root) => {
      for (const [name, text] of Object.entries(this.#target.repository?.files ?? {})) {
        await putFile(root, name, (file) => file.writeFile(text));
      }
    });
    const identity = ['-c', 'user.name=Check', '-c', 'user.email=check@localhost'];
    const steps = [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      [...identity, 'commit', '-q', '--allow-empty', '-m', 'Start'],
    ];
    for (const step of steps) {
      await promisify(execFile)('git', step, { cwd, timeout: GIT_TIMEOUT_MS });
    }
  }
}
