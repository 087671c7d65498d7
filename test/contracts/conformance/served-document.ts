import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';

const Response = z.looseObject({
  content: z.record(z.string(), z.unknown()).optional(),
  /** Errors that many operations share stand once, among the components. */
  $ref: z.string().optional(),
});
const Operation = z.looseObject({ responses: z.record(z.string(), Response) });
const Document = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ responses: z.record(z.string(), Response).default({}) }),
});

/** The OpenAPI document as the service serves it, to hold answers against. */
export class ServedDocument {
  readonly version: string;
  readonly #paths: z.infer<typeof Document>['paths'];
  readonly #shared: z.infer<typeof Document>['components']['responses'];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: unknown) {
    const parsed = Document.parse(document);
    this.version = parsed.openapi;
    this.#paths = parsed.paths;
    this.#shared = parsed.components.responses;
    formats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'served', ...parsed });
  }

  /** Methods of a path, upper case; empty when the path is not documented. */
  methods(path: string): string[] {
    const found = this.#find(path);
    return found === null ? [] : Object.keys(found[1]).map((method) => method.toUpperCase());
  }

  /** What is wrong with an answer, in words; empty when the document allows it. */
  problems(call: { method: string; path: string }, answer: AnswerPart): string[] {
    const found = this.#find(call.path);
    const operation = found?.[1][call.method.toLowerCase()];
    if (found === null || operation === undefined) return ['is not documented'];
    const own = operation.responses[String(answer.status)];
    const name = own?.$ref?.split('/').at(-1);
    const response = name === undefined ? own : this.#shared[name];
    if (response === undefined) return [`status ${answer.status} is not documented`];
    if (answer.status === 204) return answer.text === '' ? [] : ['204 with a body'];
    const type = answer.contentType.split(';')[0]?.trim() ?? '';
    if (response.content?.[type] === undefined) return [`content type ${type} is not documented`];
    if (type !== 'application/json') return [];
    const place =
      name === undefined
        ? ['paths', found[0], call.method.toLowerCase(), 'responses', answer.status]
        : ['components', 'responses', name];
    const pointer = [...place, 'content', type, 'schema'].map(escapePointer).join('/');
    const validate = this.#ajv.compile({ $ref: `served#/${pointer}` });
    if (validate(answer.body)) return [];
    return (validate.errors ?? [])
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
  }

  /** Parameters may have other names than the interface gives them. */
  #find(path: string): [string, Record<string, z.infer<typeof Operation>>] | null {
    const shape = (text: string) => text.replace(/\{[^}]+\}/g, '{}');
    return Object.entries(this.#paths).find(([known]) => shape(known) === shape(path)) ?? null;
  }
}

type AnswerPart = { status: number; contentType: string; text: string; body: unknown };

function escapePointer(part: string | number): string {
  return encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
}
