import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// One route that does nothing, behind the same server: what the machine can do at best.
const app = new Hono().get('/', (c) => c.json({ ok: true }));
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send?.({ url: `http://127.0.0.1:${port}` }),
);
process.once('disconnect', () => server.close(() => process.exit(0)));
