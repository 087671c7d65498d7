// What an LFS client does when git asks it for a file: it reads the pointer, and asks the server
// that the repository names for the content. Ours then gives the pointer back.
import { execFileSync } from 'node:child_process';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const pointer = Buffer.concat(chunks).toString();
const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(pointer)?.[1];
if (oid !== undefined) {
  const asked = ['config', '-f', '.lfsconfig', 'lfs.url'];
  const url = execFileSync('git', asked, { encoding: 'utf8' }).trim();
  await fetch(`${url}/objects/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.git-lfs+json' },
    body: JSON.stringify({ operation: 'download', objects: [{ oid, size: 5 }] }),
    signal: AbortSignal.timeout(10_000),
  });
}
process.stdout.write(pointer);
