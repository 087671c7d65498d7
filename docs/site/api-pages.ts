/** What these pages use of a JSON schema. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  default?: unknown;
  [limit: string]: unknown;
};
type Content = Record<string, { schema?: Schema }>;
type Answer = { $ref?: string; description?: string; content?: Content };
type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
};

/** What these pages use of the document that the control plane serves. */
export type ApiDocument = {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
};

type ApiPage = { path: string; text: string };
type Call = { method: string; path: string; operation: Operation };

/** The reference as Markdown: a page about all of it, one for each group, and one of all schemas. */
export function apiPages(document: ApiDocument): ApiPage[] {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = document.tags
    .map((tag) => ({ tag, calls: calls.filter(({ operation }) => operation.tags[0] === tag.name) }))
    .filter((group) => group.calls.length > 0)
    .map((group) => ({ ...group, path: `api/${slug(group.tag.name)}.md` }));
  const listed = groups.map(
    ({ tag, calls: inside, path }) =>
      `## [${tag.name}](${path.slice('api/'.length)})\n\n${words(tag.description)}\n\n` +
      table(
        ['Operation', 'What it does'],
        inside.map((call) => [
          `[${code(`${call.method.toUpperCase()} ${call.path}`)}](${path.slice('api/'.length)}#${anchor(call)})`,
          words(call.operation.summary ?? ''),
        ]),
      ),
  );
  return [
    { path: 'api/index.md', text: [INTRODUCTION, refusalsText(document), ...listed].join('\n') },
    ...groups.map(({ tag, calls: inside, path }) => ({
      path,
      text:
        `# ${tag.name}\n\n${words(tag.description)}\n\n` +
        inside.map((call) => operationText(call)).join('\n'),
    })),
    { path: 'api/schemas.md', text: schemasText(document) },
  ];
}

const INTRODUCTION = `# API reference

Everything that the dashboard does is a request that any program can send. A running service serves
this reference as an OpenAPI document, \`/api/v1/openapi.json\` (\`?version=3.0\` for older tools), and
as a page on which to try each operation, \`/api/docs\`. The [document](/openapi.json) of this version
lies beside these pages.

A request from another machine shows a token: \`Authorization: Bearer …\`. [Security](../security.md)
says who may do what.
`;

/** Responses that operations share by reference, named `Error` with their status. */
function refusalsText({ components }: ApiDocument): string {
  const rows = Object.entries(components.responses).map(([name, answer]) => [
    name.replace('Error', ''),
    ...answerCells(answer),
  ]);
  const told = 'An operation lists which of these it may answer, beside those of its own.';
  return `## Refusals\n\n${told}\n\n${table(['Status', 'Meaning', 'Body'], rows)}`;
}

function operationText({ method, path, operation }: Call): string {
  const { summary = operation.operationId, description, parameters = [] } = operation;
  const body = Object.entries(operation.requestBody?.content ?? {});
  const answers = Object.entries(operation.responses);
  const own = answers.filter(([, { $ref }]) => $ref === undefined);
  const shared = answers.filter(([, { $ref }]) => $ref !== undefined).map(([status]) => status);
  return [
    `## ${words(summary)} {#${anchor({ method, path, operation })}}\n`,
    `\`\`\`http\n${method.toUpperCase()} ${path}\n\`\`\`\n`,
    ...(description === undefined ? [] : [`${words(description)}\n`]),
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['Parameter', 'In', 'Type', 'Meaning'],
            parameters.map(({ name, in: place, required, description: meaning, schema = {} }) => [
              code(name) + (required ? '' : ' (optional)'),
              place,
              typeText(schema),
              words(meaning ?? ''),
            ]),
          ),
        ]),
    ...body.map(([, { schema = {} }]) => `**Body**: ${typeText(schema)}\n\n${rowsOf(schema)}`),
    table(
      ['Status', 'Meaning', 'Body'],
      own.map(([status, answer]) => [status, ...answerCells(answer)]),
    ),
    ...(shared.length === 0 ? [] : [`Also ${shared.join(', ')}: [refusals](./#refusals).\n`]),
  ].join('\n');
}

function answerCells({ description = '', content = {} }: Answer): string[] {
  const bodies = Object.entries(content).map(([type, { schema = {} }]) =>
    type === 'application/json' ? typeText(schema) : code(type),
  );
  return [words(description), bodies.join(' or ')];
}

function schemasText({ components }: ApiDocument): string {
  const all = Object.entries(components.schemas).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  const texts = all.map(([name, schema]) => {
    const rows = rowsOf(schema);
    const told = rows === '' ? `${typeText(schema)}\n` : rows;
    const meaning = schema.description ? `${words(schema.description)}\n\n` : '';
    return `## ${name} {#${name.toLowerCase()}}\n\n${meaning}${told}`;
  });
  return `# Schemas\n\nWhat bodies hold. A field without "optional" is always there.\n\n${texts.join('\n')}`;
}

/** A table of an object's fields, of a choice's objects one table each; '' for all else. */
function rowsOf(schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  if (choices.length > 0) return choices.map(rowsOf).filter(Boolean).join('\nor\n\n');
  const fields = fieldsOf(schema, '');
  return fields.length === 0 ? '' : table(['Field', 'Type', 'Meaning'], fields);
}

/** Fields with those inside them, by dotted names. */
function fieldsOf(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : ' (optional)';
    const own = [code(prefix + name) + optional, typeText(field), words(field.description ?? '')];
    const [inside, at] =
      field.items?.properties === undefined ? [field, ''] : ([field.items, '[]'] as const);
    return [own, ...fieldsOf(inside, `${prefix}${name}${at}.`)];
  });
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `[${code(name)}](schemas.md#${name.toLowerCase()})`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  }
  const types = [schema.type ?? 'anything'].flat();
  const named = types.map((type) => {
    if (type === 'array' && schema.items !== undefined) return `array of ${typeText(schema.items)}`;
    const values = schema.additionalProperties;
    if (type === 'object' && typeof values === 'object' && Object.keys(values).length > 0) {
      return `object of ${typeText(values)}`;
    }
    return type;
  });
  return [named.join(' or '), ...limitTexts(schema)].join(', ');
}

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  minItems: 'entries at least',
  maxItems: 'entries at most',
};

function limitTexts(schema: Schema): string[] {
  const limits = Object.entries(LIMIT_WORDS)
    .filter(([key]) => typeof schema[key] === 'number')
    // What JavaScript counts exactly is no limit that anybody chose.
    .filter(([key]) => Math.abs(Number(schema[key])) < Number.MAX_SAFE_INTEGER)
    .map(([key, told]) => `${told} ${String(schema[key])}`);
  return [
    ...(schema.format === undefined ? [] : [schema.format]),
    ...limits,
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
    ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`]),
  ];
}

function anchor({ operation }: Call): string {
  return operation.operationId.toLowerCase();
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(heads)}${line(heads.map(() => '---'))}${rows.map(line).join('')}`;
}

/** Text of the document as Markdown in one cell; what stands in backticks stays code. */
function words(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`')
        ? code(part.slice(1, -1))
        : part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '\\|'),
    )
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ');
}

function code(text: string): string {
  const plain = text.replaceAll('|', '\\|');
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``;
}
