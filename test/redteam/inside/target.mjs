// A host that an agent must not reach: HTTP on 80, a banner on 22, names on 53. It answers with the
// canary that it is given, so that an attack can prove that it got through.
import { createSocket } from 'node:dgram';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';

const [canary, redirectTo] = process.argv.slice(-2);
const respond = (request, response) => {
  if (request.url === '/redirect') {
    response.writeHead(302, { location: redirectTo });
    response.end();
  } else if (request.url === '/large') response.end('x'.repeat(1024 * 1024));
  else response.end(`${canary}\n`);
};
createHttp(respond).listen(80, '::');
createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.end(`${canary}\n`);
}).listen(22, '::');
const names = createSocket('udp4');
names.on('message', (query, from) => {
  const question = query.subarray(12);
  const isAddress = question[question.length - 3] === 1;
  const data = isAddress
    ? Buffer.from([203, 0, 113, 99])
    : Buffer.from([canary.length, ...Buffer.from(canary)]);
  const type = isAddress ? 1 : 16;
  const answer = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length, ...data]);
  const header = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  const end = question.indexOf(0) + 5;
  names.send(Buffer.concat([header, question.subarray(0, end), answer]), from.port, from.address);
});
names.bind(53);
process.stdout.write('listening\n');
