import { messageOf } from '@switchyard/shared/message-of';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, createServer as createRelay } from 'node:net';
import type { Socket } from 'node:net';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContainer, EngineContainerSpec, CommandSpec } from '../container-engine.ts';
import { DockerContainerEngine } from './docker-engine.ts';
import { defaultSandboxImage } from './image/default-sandbox-image.ts';

const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const runnerId = `test-${randomUUID().slice(0, 8)}`;
const daemonSocket =
  (process.env['DOCKER_HOST'] ?? '').replace(/^unix:\/\//, '') || '/var/run/docker.sock';
const MiB = 1024 * 1024;

/** Why the suite cannot run here; null when it can. */
async function reasonToSkip(): Promise<string | null> {
  const engine = new DockerContainerEngine({ image });
  try {
    await engine.check();
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    await engine.close();
  }
}

const skipReason = await reasonToSkip();

describe.skipIf(skipReason !== null)(
  `docker container engine${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 60_000 },
  () => {
    let folder: string;
    let engine: DockerContainerEngine;
    const engines: DockerContainerEngine[] = [];

    const newEngine = (): DockerContainerEngine => {
      const made = new DockerContainerEngine({ image });
      engines.push(made);
      return made;
    };

    beforeAll(async () => {
      engine = newEngine();
      folder = await mkdtemp(join(tmpdir(), 'swy-docker-test-'));
      await chmod(folder, 0o755);
      for (const name of ['workspace', 'access', 'home']) await mkdir(join(folder, name));
      const id = engine.workIdentity;
      if (id) {
        for (const name of ['workspace', 'home']) await chown(join(folder, name), id.uid, id.gid);
      }
    });

    afterEach(async () => {
      for (const container of await engine.list(runnerId)) {
        await container.stop(0);
        await container.remove();
      }
    });

    afterAll(async () => {
      for (const made of engines) await made.close();
      await rm(folder, { recursive: true, force: true });
    });

    const spec = (
      argv: string[],
      changes: Partial<EngineContainerSpec> = {},
    ): EngineContainerSpec => ({
      owner: { runnerId, attemptId: `a${randomUUID().slice(0, 8)}`, epoch: 1, bootId: 'boot' },
      image,
      argv,
      env: { HOME: '/home/agent' },
      workingDirectory: '/workspace',
      mounts: [
        { hostPath: join(folder, 'workspace'), containerPath: '/workspace', readOnly: false },
        { hostPath: join(folder, 'home'), containerPath: '/home/agent', readOnly: false },
      ],
      resources: { memoryBytes: 256 * MiB, cpus: 1, pids: 64, tmpfsBytes: 32 * MiB },
      proxy: { socketFolder: join(folder, 'access'), hostPort: 0 },
      stateFolder: join(folder, 'state'),
      ...changes,
    });

    const command = (argv: string[], changes: Partial<CommandSpec> = {}): CommandSpec => {
      const { owner, env, workingDirectory, mounts, resources } = spec([]);
      return {
        owner,
        image,
        argv,
        env,
        workingDirectory,
        mounts,
        resources,
        purpose: 'test',
        timeoutMs: 20_000,
        maxOutputBytes: MiB,
        ...changes,
      };
    };

    const sh = (script: string): string[] => ['sh', '-c', script];

    /** Standard output until `enough` or the end. */
    async function read(
      container: EngineContainer,
      fromByte = 0,
      enough?: (text: string) => boolean,
    ): Promise<string> {
      const abort = new AbortController();
      const chunks: Uint8Array[] = [];
      for await (const chunk of container.stdout(fromByte, abort.signal)) {
        chunks.push(chunk);
        if (enough?.(Buffer.concat(chunks).toString())) break;
      }
      abort.abort();
      return Buffer.concat(chunks).toString();
    }

    it('locks the container: no network, no capabilities, read-only root, own user, limits', async () => {
      const container = await engine.start(
        spec(
          sh(`
            id -u; id -g; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status
            ls /sys/class/net; touch /etc/x 2>&1; touch /usr/x 2>&1; touch /run/switchyard/x 2>&1
            touch /workspace/w /home/agent/h /tmp/t && echo writable
            df -B1 --output=size /tmp | tail -1
            cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null
            cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null
            exit 0
          `),
        ),
      );
      const text = await read(container);
      const uid = engine.workIdentity?.uid ?? process.getuid?.();
      expect(text).toContain(`${uid}\n`);
      expect(text).toMatch(/CapEff:\s0+\n/);
      expect(text).toMatch(/CapBnd:\s0+\n/);
      expect(text).toMatch(/NoNewPrivs:\s1\n/);
      expect(text).toMatch(/^lo$/m);
      expect(text).not.toMatch(/^eth/m);
      expect(text.match(/Read-only file system/g)).toHaveLength(3);
      expect(text).toContain('writable');
      expect(text).toContain(String(32 * MiB));
      expect(text).toMatch(/^64$/m);
      expect(text).toMatch(new RegExp(`^${256 * MiB}$`, 'm'));
      expect(await container.exited).toEqual({ exitCode: 0, signal: null, oom: false });
    });

    it('cannot start more processes than allowed', async () => {
      const container = await engine.start(
        spec(sh('for i in $(seq 100); do sleep 5 & done; echo started'), {
          resources: { memoryBytes: 256 * MiB, cpus: 1, pids: 20, tmpfsBytes: MiB },
        }),
      );
      await container.exited;
      expect(await container.stderrTail(2000)).toContain('fork');
    });

    it('carries a 20 MB line of any characters byte for byte', async () => {
      const script = `process.stdout.write('a' + '€ß\\u{1f600}'.repeat(2300000) + '\\u001e\\n\\u001e\\u001e\\nend\\n')`;
      const container = await engine.start(
        spec(['node', '-e', script], {
          resources: { memoryBytes: 512 * MiB, cpus: 2, pids: 64, tmpfsBytes: MiB },
        }),
      );
      const expected = `a${'€ß\u{1f600}'.repeat(2_300_000)}\u001e\n\u001e\u001e\nend\n`;
      const whole = await read(container);
      expect(whole.length).toBe(expected.length);
      expect(whole === expected).toBe(true);
      const tail = Buffer.from(expected).subarray(20_000_001);
      expect((await read(container, 20_000_001)) === tail.toString()).toBe(true);
    });

    it('recognises that the main process ran out of memory', async () => {
      const hog = spec(['node', '-e', 'const a=[];for(;;)a.push(Buffer.alloc(1e6,1))'], {
        resources: { memoryBytes: 64 * MiB, cpus: 1, pids: 64, tmpfsBytes: MiB },
      });
      const container = await engine.start(hog);
      expect(await container.exited).toEqual({ exitCode: 137, signal: 'SIGKILL', oom: true });
    });

    it('tells of a child that ran out of memory, and does not blame a later kill on it', async () => {
      const container = await engine.start(
        spec(
          sh(
            `trap '' TERM; node -e 'const a=[];for(;;)a.push(Buffer.alloc(1e6,1))'; echo after; sleep 60`,
          ),
          {
            resources: { memoryBytes: 64 * MiB, cpus: 1, pids: 64, tmpfsBytes: MiB },
          },
        ),
      );
      const oom = new Promise<void>((resolve) => container.onOom(resolve));
      await read(container, 0, (text) => text.includes('after'));
      await oom;
      const exit = await container.stop(0);
      expect(exit).toEqual({ exitCode: 137, signal: 'SIGKILL', oom: false });
    });

    it('notices an exit, with its code', async () => {
      const container = await engine.start(spec(sh('read x; exit 7')));
      await container.write(Buffer.from('go\n'));
      expect(await container.exited).toMatchObject({ exitCode: 7 });
    });

    it('is adopted by a new client: reads on from an offset, writes, stops', async () => {
      const first = newEngine();
      const wanted = spec(sh('while read line; do echo "got $line"; done'));
      const before = await first.start(wanted);
      await before.write(Buffer.from('one\n'));
      const seen = await read(before, 0, (text) => text.includes('got one\n'));
      await before.write(Buffer.from('half a li'));
      await first.close();

      const second = newEngine();
      const found = await second.list(runnerId);
      const after = found.find((entry) => entry.owner.attemptId === wanted.owner.attemptId);
      expect(after?.owner).toEqual(wanted.owner);
      if (!after) return;
      await after.write(Buffer.from('two\n'));
      const more = await read(after, seen.length, (text) => text.includes('got two\n'));
      expect(more).toContain('got two\n');
      expect(more).not.toContain('one');
      expect((await second.start(wanted)).containerId).toBe(after.containerId);
      const stopped = await after.stop(2000);
      expect(stopped.signal).toBe('SIGTERM');
      await expect(after.write(Buffer.from('x'))).rejects.toThrow('ended');
      await after.remove();
      expect((await second.list(runnerId)).map((entry) => entry.owner.attemptId)).not.toContain(
        wanted.owner.attemptId,
      );
    });

    it('finds the end of a container that ended while no client was there', async () => {
      const first = newEngine();
      const wanted = spec(sh('sleep 0.3; echo last words; exit 3'));
      await first.start(wanted);
      await first.close();
      const second = newEngine();
      const found = await second.list(runnerId);
      const after = found.find((entry) => entry.owner.attemptId === wanted.owner.attemptId);
      expect(await after?.exited).toMatchObject({ exitCode: 3, oom: false });
      expect(after && (await read(after))).toBe('last words\n');
      const again = await second.start(wanted);
      expect(await again.exited).toMatchObject({ exitCode: 3 });
    });

    it('knows an end at once, however soon after it is asked', async () => {
      const wanted = spec(sh('exit 9'));
      const first = await engine.start(wanted);
      await first.exited;
      for (const client of [engine, newEngine()]) {
        const found = await client.list(runnerId);
        const again = found.find((entry) => entry.containerId === first.containerId);
        const end = await Promise.race([again?.exited, delay(1000, 'too late')]);
        expect(end).toMatchObject({ exitCode: 9 });
      }
    });

    it('kills what ignores TERM after the grace time, orphans included', async () => {
      const container = await engine.start(
        spec(sh(`trap '' TERM; setsid sleep 300 & echo ready; while :; do sleep 1; done`)),
      );
      await read(container, 0, (text) => text.includes('ready'));
      const exit = await container.stop(300);
      expect(exit).toEqual({ exitCode: 137, signal: 'SIGKILL', oom: false });
    });

    it('reaps orphans and cannot be killed from inside', async () => {
      const container = await engine.start(
        spec(
          sh(`
            (setsid sh -c 'sleep 0.1' &); sleep 0.5; kill -9 1; kill -STOP 1; sleep 0.2
            grep -c . /proc/1/mem 2>&1 | head -1; ls /proc/1/fd 2>&1 | head -1
            for p in /proc/[0-9]*; do grep -h '^State' $p/status; done | grep -c zombie; echo alive
          `),
        ),
      );
      const text = await read(container);
      expect(text).toMatch(/^0\nalive$/m);
      expect(text.match(/Permission denied/g)?.length).toBe(2);
    });

    describe('way out', () => {
      let server: Server;
      beforeAll(async () => {
        server = createServer((request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          let bytes = 0;
          request.on('data', (chunk: Buffer) => (bytes += chunk.length));
          request.on('end', () => {
            response.write('data: first\n\n');
            setTimeout(() => response.end(`data: ${request.url} ${bytes}\n\n`), 300);
          });
        });
        const path = join(folder, 'access', 'proxy.sock');
        await new Promise<void>((resolve) => server.listen(path, resolve));
        await chmod(path, 0o666);
      });
      afterAll(() => new Promise((resolve) => server.close(resolve)));

      it('forwards HTTP to the socket on the host and streams the answer', async () => {
        const script = `
          const started = Date.now();
          const answer = await fetch('http://127.0.0.1:8099/v1/responses', { method: 'POST', body: 'x'.repeat(3e6) });
          const arrivals = [];
          let text = '';
          for await (const chunk of answer.body) { arrivals.push(Date.now()); text += Buffer.from(chunk).toString(); }
          console.log(JSON.stringify({ text, gap: arrivals.at(-1) - arrivals[0] }));
          const many = await Promise.all(Array.from({ length: 100 }, (_, i) => fetch('http://127.0.0.1:8099/' + i).then((r) => r.text())));
          console.log(many.filter((t, i) => t.includes('/' + i + ' 0')).length);
          const outside = await fetch('http://1.1.1.1/').catch((error) => error.cause.code);
          console.log(outside);
        `;
        const container = await engine.start(spec(['node', '--input-type=module', '-e', script]));
        const [first = '', many, outside] = (await read(container)).split('\n');
        const answer: unknown = JSON.parse(first);
        expect(answer).toMatchObject({ text: 'data: first\n\ndata: /v1/responses 3000000\n\n' });
        expect((answer as { gap: number }).gap).toBeGreaterThan(150);
        expect(many).toBe('100');
        expect(outside).toBe('ENETUNREACH');
      });
    });

    it('ends everything when the lease is not renewed', async () => {
      const access = join(folder, 'deadman');
      await mkdir(access);
      const deadline = join(access, 'deadline');
      await writeFile(deadline, '1 1500\n');
      const container = await engine.start(
        spec(sh(`trap 'echo term' TERM; while :; do sleep 0.1; done`), {
          proxy: { socketFolder: access, hostPort: 0 },
        }),
      );
      const startedMs = Date.now();
      setTimeout(() => void writeFile(deadline, '2 1500\n'), 800);
      const output = read(container);
      const exit = await container.exited;
      const livedMs = Date.now() - startedMs;
      expect(exit).toMatchObject({ exitCode: 143, oom: false });
      expect(livedMs).toBeGreaterThan(3500);
      expect(await output).toBe('term\n');
      expect(await container.stderrTail(1000)).toContain('lease was not renewed');
    });

    it('tells what a container uses, and ends a command at its signal', async () => {
      const container = await engine.start(spec(sh('while :; do :; done')));
      expect(await engine.stats(container)).toBeNull();
      await expect
        .poll(async () => (await engine.stats(container))?.cpuPercent ?? 0)
        .toBeGreaterThan(5);
      const { memoryPercent = 0 } = (await engine.stats(container)) ?? {};
      expect(memoryPercent).toBeGreaterThan(0);
      expect(memoryPercent).toBeLessThan(100);
      await container.stop(0);
      expect(await engine.stats(container)).toBeNull();
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 1_000);
      const ended = await engine.run(command(sh('sleep 60'), { signal: abort.signal }));
      expect(ended).toMatchObject({ exitCode: 137, timedOut: false });
    });

    it('runs short commands without network and leaves nothing', async () => {
      const done = await engine.run(command(sh('echo out; echo err >&2; exit 4')));
      expect(done).toEqual({
        exitCode: 4,
        stdout: 'out\n',
        stderr: 'err\n',
        timedOut: false,
        outputExceeded: false,
      });
      const late = await engine.run(command(sh('sleep 60'), { timeoutMs: 300 }));
      expect(late).toMatchObject({ exitCode: 137, timedOut: true });
      const loud = await engine.run(
        command(sh('while :; do echo line; done'), { maxOutputBytes: 1000 }),
      );
      expect(loud.outputExceeded).toBe(true);
      expect(loud.stdout).toHaveLength(1000);
      const file = join(folder, 'out.bin');
      await engine.run(
        command(sh('head -c 3000000 /dev/urandom | tee /workspace/copy'), {
          stdoutFile: file,
          maxOutputBytes: 4 * MiB,
        }),
      );
      const [got, kept] = [await readFile(file), await readFile(join(folder, 'workspace', 'copy'))];
      expect(got.equals(kept)).toBe(true);
      const noRoom = command(sh('while :; do echo line; done'), {
        stdoutFile: '/dev/full',
        maxOutputBytes: 1024 * MiB,
      });
      await expect(engine.run(noRoom)).rejects.toThrow('ENOSPC');
      const missing = await engine.run(command(['no-such-program']));
      expect(missing).toMatchObject({ exitCode: 127 });
      expect(missing.stderr).toContain('no-such-program');
    });

    it('removes commands of a dead runner, and refuses two of one name at once', async () => {
      const docker = new Docker();
      const stale = await docker.createContainer({
        Image: image,
        Cmd: ['sleep', '300'],
        Labels: {
          'switchyard.service': 'switchyard',
          'switchyard.role': 'command',
          'switchyard.runner_id': runnerId,
          'switchyard.attempt': 'gone',
          'switchyard.epoch': '1',
        },
      });
      await stale.start();
      const slow = command(sh('sleep 1; echo done'));
      const running = engine.run(slow);
      await expect(engine.run(slow)).rejects.toThrow('already runs');
      await engine.list(runnerId);
      expect((await running).stdout).toBe('done\n');
      await expect(stale.inspect()).rejects.toThrow('No such container');
    });

    it('goes on when the connection to the daemon is cut', async () => {
      const relayPath = join(folder, 'relay.sock');
      const open = new Set<Socket>();
      const relay = createRelay((client) => {
        const daemon = connect(daemonSocket);
        for (const [from, to] of [
          [client, daemon],
          [daemon, client],
        ] as const) {
          open.add(from);
          from.on('error', () => to.destroy()).on('close', () => to.destroy());
          from.pipe(to);
        }
      });
      await new Promise<void>((resolve) => relay.listen(relayPath, resolve));
      const cut = (): void => open.forEach((socket) => socket.destroy());
      const viaRelay = new DockerContainerEngine({
        image,
        docker: new Docker({ socketPath: relayPath }),
      });
      engines.push(viaRelay);
      const container = await viaRelay.start(
        spec(sh('while read line; do [ "$line" = end ] && exit 5; echo "got $line"; done')),
      );
      const abort = new AbortController();
      const chunks: string[] = [];
      const reading = (async () => {
        for await (const chunk of container.stdout(0, abort.signal)) {
          chunks.push(Buffer.from(chunk).toString());
        }
      })();
      await container.write(Buffer.from('one\n'));
      await expect.poll(() => chunks.join('')).toContain('got one');
      cut();
      const write = (): Promise<boolean> =>
        container.write(Buffer.from('two\n')).then(
          () => true,
          () => false,
        );
      await expect.poll(write).toBe(true);
      await expect.poll(() => chunks.join('')).toContain('got two');
      cut();
      const end = (): Promise<boolean> =>
        container.write(Buffer.from('end\n')).then(
          () => true,
          () => false,
        );
      await expect.poll(end).toBe(true);
      expect(await container.exited).toMatchObject({ exitCode: 5 });
      await reading;
      expect(chunks.join('').match(/got one\n/g)).toHaveLength(1);
      abort.abort();
      cut();
      relay.close();
    });

    it('says what to do when the image or a mount is missing', async () => {
      const other = new DockerContainerEngine({ image: 'switchyard-sandbox:absent' });
      engines.push(other);
      await expect(other.check()).rejects.toThrow(
        /sandbox:absent is not on .*only .*switchyard-sandbox:\w+.* of another version; run: .*runner build-image/,
      );
      await expect(
        engine.start(spec(sh('true'), { image: 'switchyard-sandbox:absent' })),
      ).rejects.toThrow('runner build-image');
      const mounts = [{ hostPath: '/nowhere/at/all', containerPath: '/workspace', readOnly: true }];
      await expect(engine.start(spec(sh('true'), { mounts }))).rejects.toThrow('/nowhere/at/all');
    });
  },
);
