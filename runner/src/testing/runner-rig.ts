import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { startScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type { ScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import { testSpec } from '../connection/testing/attempt-spec.ts';
import { ControlPlaneServer } from '../connection/testing/control-plane-server.ts';
import { makeWorkspaceFixture } from '../workspace/testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../workspace/testing/workspace-fixture.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const REAL_LIMIT_MS = 60_000;
const POLL_MS = 20;

export const API_KEY = 'sk-known-to-the-proxy-only';
export const ATTEMPT = 'att_00000001';
const FIRST: LeaseRef = { attemptId: ATTEMPT, epoch: 1 };

export type RunnerChild = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  exit: Promise<number | null>;
};

/**
 * Runs real runner processes against a test's control plane, a scripted provider on a real port,
 * and git.
 */
export class RunnerRig {
  readonly fixture: WorkspaceFixture;
  readonly server: ControlPlaneServer;
  readonly provider: ScriptedProvider;
  readonly dataDir: string;
  readonly #sandbox: string;
  readonly #children = new Set<ChildProcess>();

  constructor(parts: {
    fixture: WorkspaceFixture;
    server: ControlPlaneServer;
    provider: ScriptedProvider;
    sandbox: string;
  }) {
    this.fixture = parts.fixture;
    this.server = parts.server;
    this.provider = parts.provider;
    this.dataDir = join(parts.fixture.folder, 'data');
    this.#sandbox = parts.sandbox;
  }

  /** Runs the program with any arguments. */
  spawn(args: string[], env: Record<string, string> = {}): RunnerChild {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exit = new Promise<number | null>((resolve) => {
      child.once('exit', (code) => {
        this.#children.delete(child);
        resolve(code);
      });
    });
    return { child, stdout: () => stdout, stderr: () => stderr, exit };
  }

  async join(): Promise<void> {
    const join = this.spawn([
      'join',
      this.server.url,
      '--token',
      'enr_once',
      '--data-dir',
      this.dataDir,
    ]);
    if ((await join.exit) !== 0) throw new Error(`join failed: ${join.stderr()}`);
  }

  /** A runner that has been welcomed. */
  async run(more: string[] = [], env: Record<string, string> = {}): Promise<RunnerChild> {
    const args = [
      'run',
      '--data-dir',
      this.dataDir,
      '--sandbox',
      this.#sandbox,
      '--slots',
      '1',
      '--allow-folder',
      this.fixture.folder,
    ];
    const runner = this.spawn([...args, ...more], env);
    await this.until('ready', () => runner.stdout().includes('runner ready'), runner);
    return runner;
  }

  /** The issue of every offer that names no other. */
  get issue(): AttemptSpec['issue'] {
    return testSpec().issue;
  }

  async offer(change: Partial<AttemptSpec> = {}, ref: LeaseRef = FIRST): Promise<void> {
    this.server.plane.sealedSecrets = await this.server.seal({ providerApiKey: API_KEY });
    const provider = {
      name: 'scripted',
      baseUrl: this.provider.url,
      wireApi: 'responses' as const,
    };
    const spec = testSpec({
      attemptId: ref.attemptId,
      repository: this.fixture.source,
      engine: { name: 'codex', model: 'scripted-model', provider },
      ...change,
    });
    this.server.plane.say({
      type: 'offer',
      ...ref,
      expiresInMs: 15_000,
      spec,
    });
  }

  events(kind: string, ref: LeaseRef = FIRST): Record<string, unknown>[] {
    const stored = this.server.plane.stored.get(leaseKey(ref)) ?? [];
    return stored.filter((item) => item.kind === kind).map(({ payload }) => payload);
  }

  finished(runner: RunnerChild, ref: LeaseRef = FIRST) {
    return this.until('finish', () => this.server.plane.finished.get(leaseKey(ref)), runner);
  }

  async until<T>(
    what: string,
    found: () => T | null | undefined | false | Promise<T | false>,
    runner: RunnerChild,
  ): Promise<T> {
    const endMs = Date.now() + REAL_LIMIT_MS;
    for (;;) {
      const value = await found();
      if (value !== null && value !== undefined && value !== false) return value;
      if (Date.now() > endMs) {
        const stored = JSON.stringify([...this.server.plane.stored]);
        throw new Error(`waited in vain for ${what}\n${runner.stderr()}\n${stored}`);
      }
      await new Promise<void>((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  }

  /** As a file of the branch that an attempt pushed. */
  show(branch: string | undefined, path: string): string {
    return this.fixture.git(this.fixture.remotePath, 'show', `${branch}:${path}`);
  }

  /** Ends every runner, and what a killed one left behind, its model proxy included. */
  async dispose(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    if (this.server.joins.length > 0) {
      this.server.plane.verdictFor = ({ attemptId, epoch }) => ({
        attemptId,
        epoch,
        verdict: 'stop',
        code: 'UNKNOWN_ATTEMPT',
      });
      const last = await this.run(['--stop-attempts-on-exit']);
      last.child.kill('SIGTERM');
      if ((await last.exit) !== 0) throw new Error(`the last runner: ${last.stderr()}`);
    }
    await this.provider.close();
    await this.server.close();
    await this.fixture.dispose();
    if (this.server.trouble !== null)
      throw new Error('the control plane', { cause: this.server.trouble });
  }
}

/** `sandbox` as on the command line. */
export async function makeRunnerRig(sandbox: 'auto' | 'docker' | 'process'): Promise<RunnerRig> {
  const fixture = await makeWorkspaceFixture();
  await fixture.commitOnRemote('main', failingTestProject);
  const server = new ControlPlaneServer();
  // Tests share the Docker daemon and the machine's processes, where a runner ends what carries its id.
  server.runnerIdPrefix = `run_${randomBytes(4).toString('hex')}`;
  await server.listen();
  const provider = await startScriptedProvider({ script: fixFailingTest(), apiKey: API_KEY });
  return new RunnerRig({ fixture, server, provider, sandbox });
}
