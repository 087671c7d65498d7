import { createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { scriptRunner } from '../support/core/scripted-runner.ts';
import { eventItems } from './event-load.ts';
import { handleFrame } from '../../control-plane/src/runners/handle-frame.ts';
import { openSession } from '../../control-plane/src/runners/session.ts';
const world = await createCoreWorld(openFramePeer);
const runner = scriptRunner(world, await world.join(), 4);
const { welcome } = await runner.hello();
await world.createIssue({ title: 'x', description: 'y'.repeat(3000) });
await world.tick();
const lease = await runner.accept(runner.offer());
const session = openSession(runner.runnerId, welcome.session);
let seq = 0;
async function go(n: number) {
  const frames: string[] = [];
  for (let i = 0; i < n; i++) { frames.push(JSON.stringify([{ type: 'events', attemptId: lease.attemptId, epoch: lease.epoch, from: seq + 1, items: eventItems(seq, 64) }])); seq += 64; }
  const u = process.cpuUsage(); const t = performance.now();
  for (const f of frames) { const r = await handleFrame(world.deps, session, f); if (r.replies[0]?.type !== 'ack') throw new Error(JSON.stringify(r)); }
  const d = process.cpuUsage(u);
  console.log('cpu ms/frame', ((d.user + d.system) / 1000 / n).toFixed(3), 'user', (d.user/1000/n).toFixed(3), 'wall', ((performance.now() - t) / n).toFixed(2));
}
await go(200);
for (let i = 0; i < 5; i++) await go(400);
await world.close();
