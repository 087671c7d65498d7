import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { BODIES, PARAMETERS, type ParameterExample } from './openapi-examples.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete']);

type Parameter = { in: string; name: string; schema: object };
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, unknown> } };
type Document = { paths: Record<string, Record<string, Operation>> };

let world: CoreWorld;
let document: Document;
/** The validator is not ours: a client that is generated from the document does the same. */
let bodies: Ajv2020;
let parameters: Ajv2020;
beforeAll(async () => {
  world = await createCoreWorld(openFramePeer, { SERVICE_CONFIG__triggers__apiKey: 'trigger-key' });
  const init = { headers: { Host: 'localhost' } };
  const answer = await world.core.app.request('/api/v1/openapi.json', init, LOCAL);
  document = (await answer.json()) as Document;
  [bodies, parameters] = [false, true].map((coerceTypes) => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes });
    addFormats.default(ajv);
    return ajv.addSchema(document, 'doc');
  }) as [Ajv2020, Ajv2020];
});
afterAll(() => world.close());

function operations(): { name: string; path: string; operation: Operation; at: string }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({
        name: `${method} ${path}`,
        path,
        operation,
        at: `doc#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
      })),
  );
}

function exampleOf(path: string, { in: place, name }: Parameter): ParameterExample | undefined {
  const starts = Object.keys(PARAMETERS).filter((key) => key.startsWith('/'));
  const own = starts.find(
    (key) => key.endsWith(` ${place} ${name}`) && path.startsWith(key.split(' ')[0] ?? ''),
  );
  return PARAMETERS[own ?? `${place} ${name}`];
}

describe('example requests', () => {
  it('are there for every operation that takes a body or parameters', () => {
    const withBody = operations().filter(({ operation }) =>
      Object.keys(operation.requestBody?.content ?? {}).includes('application/json'),
    );
    expect(withBody.map(({ name }) => name).toSorted()).toEqual(Object.keys(BODIES).toSorted());
    const without = operations().flatMap(({ name, path, operation }) =>
      (operation.parameters ?? [])
        .filter((each) => exampleOf(path, each) === undefined)
        .map((each) => `${name}: ${each.in} ${each.name}`),
    );
    expect(without).toEqual([]);
  });

  it('validate where they are good and fail where they are not: bodies', () => {
    const wrong = operations().flatMap(({ name, at }) => {
      const example = BODIES[name];
      if (example === undefined) return [];
      const $ref = `${at}/requestBody/content/application~1json/schema`;
      const validate = bodies.compile({ $ref });
      const refused = example.good.filter((body) => !validate(body));
      const taken = example.bad.filter((body) => validate(body));
      return [
        ...refused.map((body) => `${name} refuses ${JSON.stringify(body)}`),
        ...taken.map((body) => `${name} takes ${JSON.stringify(body)}`),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('validate where they are good and fail where they are not: parameters', () => {
    const wrong = operations().flatMap(({ name, path, operation, at }) =>
      (operation.parameters ?? []).flatMap((parameter, index) => {
        const [good, bad] = exampleOf(path, parameter) ?? ['', null];
        const validate = parameters.compile({
          type: 'object',
          properties: { value: { $ref: `${at}/parameters/${index}/schema` } },
        });
        const place = `${name}: ${parameter.in} ${parameter.name}`;
        return [
          ...(validate({ value: good }) ? [] : [`${place} refuses ${good}`]),
          ...(bad !== null && validate({ value: bad })
            ? [`${place} takes ${bad.slice(0, 20)}`]
            : []),
        ];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('mean the same to the service', async () => {
    const wrong: string[] = [];
    for (const { name, path, operation } of operations()) {
      const example = BODIES[name];
      if (example === undefined || path.startsWith('/webhooks/')) continue;
      const places = (operation.parameters ?? []).filter(({ in: place }) => place === 'path');
      const url = places.reduce(
        (text, each) => text.replace(`{${each.name}}`, exampleOf(path, each)?.[0] ?? ''),
        path,
      );
      const send = async (body: unknown) => {
        const method = name.split(' ')[0]?.toUpperCase() ?? '';
        const headers = {
          Host: 'localhost',
          'Content-Type': 'application/json',
          'X-Service-Trigger-Key': 'trigger-key',
        };
        const init = { method, headers, body: JSON.stringify(body) };
        return await world.core.app.request(url, init, LOCAL);
      };
      for (const body of example.bad) {
        const { status } = await send(body);
        // Who may not is told so first.
        if (![400, 401].includes(status))
          wrong.push(`${name} answers ${status} to ${JSON.stringify(body)}`);
      }
      for (const body of example.good) {
        const answer = await (await send(body)).text();
        if (answer.includes('"code":"invalid_input"'))
          wrong.push(`${name} refuses ${JSON.stringify(body)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
