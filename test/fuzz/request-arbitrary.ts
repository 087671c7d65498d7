import * as fc from 'fast-check';
import { z } from 'zod';
import { valueArbitrary } from './value-arbitrary.ts';

const Parameter = z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown() });
const Operation = z.looseObject({
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })) })
    .optional(),
});
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

export type FuzzRequest = {
  method: string;
  /** Path and query as they are sent. */
  target: string;
  contentType: string | null;
  body: string | Uint8Array | null;
  /** The operation it came from. */
  of: string;
};

/** Each copies the whole database; a thousand of them would fill the disk, not find a bug. */
const LEFT_OUT = new Set(['POST /api/v1/backup']);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-7',
  'multipart/form-data',
  '',
];

/** Names that exist, so that not every request ends at "not found". */
export type KnownNames = readonly string[];

/** Requests of every operation in an OpenAPI document: well-formed ones, and ones gone wrong. */
export function requestArbitrary(
  document: unknown,
  known: KnownNames,
  leaveOut: (operation: { method: string; path: string }) => boolean = () => false,
): fc.Arbitrary<FuzzRequest> {
  const { paths } = Document.parse(document);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const good = operations
    .filter(({ path, method }) => !LEFT_OUT.has(`${method} ${path}`) && !leaveOut({ method, path }))
    .map((entry) => wellFormed(document, entry, known));
  const any = fc.oneof(...good);
  return fc.oneof({ weight: 1, arbitrary: any }, { weight: 1, arbitrary: any.chain(goneWrong) });
}

type Entry = { path: string; method: string; operation: z.infer<typeof Operation> };

function wellFormed(document: unknown, entry: Entry, known: KnownNames): fc.Arbitrary<FuzzRequest> {
  const { path, method, operation } = entry;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const segment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known, '0', '1', 'SY-1') },
    { weight: 1, arbitrary: hostileText },
  );
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const values = fc.record(
    Object.fromEntries(
      query.map(({ name, schema }) => [
        name,
        fc.oneof(valueArbitrary(document, schema), hostileText),
      ]),
    ),
    { requiredKeys: [] },
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? fc.constant(null) : valueArbitrary(document, schema);
  return fc
    .record({ segments: fc.tuple(...names.map(() => segment)), values, body })
    .map(({ segments, values: given, body: content }) => {
      let at = 0;
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(segments[at++] ?? 'x'));
      const search = new URLSearchParams(
        Object.entries(given).map(([name, value]): [string, string] => [name, asText(value)]),
      ).toString();
      return {
        method,
        target: search === '' ? filled : `${filled}?${search}`,
        contentType: content === null ? null : 'application/json',
        body: content === null ? null : JSON.stringify(content),
        of: `${method} ${path}`,
      };
    });
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** What callers get wrong, and what attackers get wrong on purpose. */
function goneWrong(request: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  const { body } = request;
  const text = typeof body === 'string' ? body : '{}';
  const withBody = (content: FuzzRequest['body']): FuzzRequest => ({
    ...request,
    contentType: 'application/json',
    body: content,
  });
  return fc.oneof(
    fc.constantFrom(...METHODS).map((method) => ({ ...request, method })),
    fc.constantFrom(...TYPES).map((contentType) => ({ ...withBody(text), contentType })),
    fc.nat({ max: text.length }).map((length) => withBody(text.slice(0, length))),
    fc.jsonValue({ maxDepth: 6 }).map((value) => withBody(JSON.stringify(value))),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => withBody(bytes)),
    fc.integer({ min: 10, max: 20_000 }).map((depth) => withBody('['.repeat(depth))),
    fc
      .integer({ min: 1, max: 200_000 })
      .map((length) =>
        withBody(JSON.stringify({ title: 'x'.repeat(length), name: 'y', value: 'z' })),
      ),
    hostileText.map((extra) => ({
      ...request,
      target: `${request.target}/${encodeURIComponent(extra)}`,
    })),
    fc
      .constantFrom('%', '%00', '%zz', '/../..', '//', '?limit=', '?limit=1&limit=2', '#')
      .map((end) => ({ ...request, target: request.target + end })),
  );
}

const hostileText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.constantFrom(
      '',
      ' ',
      '\u0000',
      '../../etc/passwd',
      '__proto__',
      'constructor',
      "'; DROP TABLE issues; --",
      '-1',
      '1e309',
      'NaN',
      '9007199254740993',
      '\ud800',
      '{{ 7 | times: 7 }}',
      '<script>',
      '$SECRET:X',
      'x'.repeat(3_000),
    ),
  )
  .map((text) => text.toWellFormed());
