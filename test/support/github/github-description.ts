import { readFile } from 'node:fs/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { githubDescriptionPart } from './github-description-part.ts';

type Json = Record<string, unknown>;
type Parameter = { name: string; in: string; required?: boolean; schema: Json };
type Operation = {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, Json>;
};
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Json>>;
};

const ID = 'github';
/** What any endpoint may answer without saying so everywhere. */
const UNSAID = new Set([301, 307, 401, 403, 404, 410, 429]);
const BODY = 'application/json';

let published: Promise<GitHubDescription | null> | null = null;

/** GitHub's own description of its REST API, to hold answers against. */
export class GitHubDescription {
  readonly #description: Description;
  readonly #ajv: Ajv;
  readonly #paths: { pattern: RegExp; template: string; parameters: number }[];

  /** From the file of the published description, see github-description-part.ts. */
  static async load(path: string): Promise<GitHubDescription> {
    const text = await readFile(path, 'utf8');
    return new GitHubDescription(JSON.parse(text, asJsonSchema) as Description);
  }

  /** Null where it is not at hand. Read once: it is 13 MB. */
  static published(): Promise<GitHubDescription | null> {
    const part = githubDescriptionPart();
    published ??= part.available ? GitHubDescription.load(part.detail) : Promise.resolve(null);
    return published;
  }

  private constructor(description: Description) {
    this.#description = description;
    this.#ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addFormat('repo.nwo', /^[^/]+\/[^/]+$/);
    this.#ajv.addSchema({ $id: ID, ...description });
    this.#paths = Object.keys(description.paths)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
        parameters: template.split('{').length,
      }))
      .toSorted((a, b) => a.parameters - b.parameters);
  }

  /** What is wrong with an answer, in words; nothing when it is as described. */
  problems(answer: { method: string; path: string; status: number; body: unknown }): string[] {
    const { method, status, body } = answer;
    const found = this.#operationOf(method, answer.path);
    if (typeof found === 'string') return [found];
    const { template, operation } = found;
    const pointer =
      this.#schemaOf(template, method.toLowerCase(), operation, status) ??
      (UNSAID.has(status) ? '#/components/schemas/basic-error' : null);
    if (pointer === null) return [`${method} ${template} never answers ${status}`];
    const validate = this.#ajv.getSchema(`${ID}${pointer}`) as ValidateFunction;
    return validate(body) ? [] : wordsOf('the answer', validate);
  }

  /** What is wrong with a request, in words: unknown parameters and fields count as wrong. */
  requestProblems(request: { method: string; path: string; body: string }): string[] {
    const { method, body } = request;
    const found = this.#operationOf(method, request.path);
    if (typeof found === 'string') return [found];
    const { template, operation } = found;
    const problems = this.#parameterProblems(request.path, template, operation);
    const described = operation.requestBody?.content[BODY]?.schema;
    if (body === '') return problems;
    if (described === undefined) return [...problems, `${method} ${template} takes no body`];
    const given = JSON.parse(body) as Json;
    const path = [
      'paths',
      template,
      method.toLowerCase(),
      'requestBody',
      'content',
      BODY,
      'schema',
    ];
    const validate = this.#ajv.getSchema(`${ID}${pointerTo(path)}`) as ValidateFunction;
    if (!validate(given)) problems.push(...wordsOf('the body', validate));
    const fields = (described['properties'] ?? given) as Json;
    const odd = Object.keys(given).filter((name) => !(name in fields));
    return [...problems, ...odd.map((name) => `the body has an unknown field ${name}`)];
  }

  /** Both directions at once. */
  problemsOfExchange(
    sent: { method: string; path: string; body: string },
    answer: { status: number; body?: unknown; text?: string },
  ): string[] {
    const { method, path } = sent;
    const asked = this.requestProblems(sent);
    if (answer.text !== undefined) return asked;
    return [...asked, ...this.problems({ method, path, status: answer.status, body: answer.body })];
  }

  #parameterProblems(address: string, template: string, operation: Operation): string[] {
    const url = new URL(address, 'http://localhost');
    const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`);
    const values = pattern.exec(url.pathname)?.slice(1) ?? [];
    const inPath = new Map(names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')]));
    const known = (operation.parameters ?? []).map((one) => this.#parameterOf(one));
    const problems: string[] = [];
    for (const [name, value] of [...url.searchParams, ...inPath]) {
      const kind = inPath.has(name) ? 'path' : 'query';
      const parameter = known.find((one) => one.name === name && one.in === kind);
      if (parameter === undefined) problems.push(`there is no parameter ${name} in the ${kind}`);
      else problems.push(...this.#valueProblems(parameter, value));
    }
    const missing = known.filter((one) => one.required === true && one.in === 'query');
    const left = missing.filter(({ name }) => !url.searchParams.has(name));
    return [...problems, ...left.map(({ name }) => `the parameter ${name} is missing`)];
  }

  /** Everything in an address is text; what is to be a number must look like one. */
  #valueProblems({ name, schema }: Parameter, text: string): string[] {
    const isNumber = schema['type'] === 'integer' && /^-?\d+$/.test(text);
    const validate = this.#ajv.compile(schema);
    return validate(isNumber ? Number(text) : text) ? [] : wordsOf(name, validate);
  }

  #parameterOf(given: Parameter | { $ref: string }): Parameter {
    if (!('$ref' in given)) return given;
    const name = given.$ref.split('/').at(-1) ?? '';
    return this.#description.components['parameters']?.[name] as unknown as Parameter;
  }

  #operationOf(
    method: string,
    address: string,
  ): { template: string; operation: Operation } | string {
    const path = address.split('?')[0] ?? '';
    const found = this.#paths.find(
      ({ pattern, template }) =>
        pattern.test(path) && method.toLowerCase() in (this.#description.paths[template] ?? {}),
    );
    if (found === undefined) return `${method} ${path} is not described`;
    const operation = this.#description.paths[found.template]?.[method.toLowerCase()];
    if (operation === undefined) return `${method} ${found.template} is not described`;
    return { template: found.template, operation };
  }

  /** Where the schema of an answer stands, as a JSON pointer. */
  #schemaOf(template: string, method: string, operation: Operation, status: number): string | null {
    const response = operation.responses[String(status)];
    if (response === undefined) return null;
    const reference = response['$ref'];
    const shared = typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
    const where =
      shared === undefined
        ? ['paths', template, method, 'responses', String(status)]
        : ['components', 'responses', shared];
    const whole =
      shared === undefined ? response : this.#description.components['responses']?.[shared];
    const content = (whole?.['content'] ?? {}) as Json;
    const [type] = Object.keys(content);
    return type === undefined ? null : pointerTo([...where, 'content', type, 'schema']);
  }
}

function wordsOf(what: string, { errors }: ValidateFunction): string[] {
  return (errors ?? []).map(
    (error) =>
      `${what} ${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
  );
}

function pointerTo(parts: readonly string[]): string {
  const escaped = parts.map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return `#/${escaped.join('/')}`;
}

/** OpenAPI 3.0 says `nullable` where JSON Schema knows a type of its own. */
function asJsonSchema(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { nullable, ...rest } = value as Json;
  if (nullable !== true) return value;
  return { anyOf: [rest, { type: 'null' }] };
}
