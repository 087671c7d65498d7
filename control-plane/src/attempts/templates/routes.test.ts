import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigStore } from '../../config/create-config-store.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { type CallRoute, createRouteApp } from '../../../../test/support/route-app.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { templateRoutes } from './routes.ts';

const PATH = '/api/v1/templates';

describe('templates', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let call: CallRoute;
  let defaultTemplate: string | undefined;
  beforeEach(async () => {
    database = await createTestDatabase();
    const ports = createTestPorts();
    defaultTemplate = undefined;
    const store = createConfigStore({ db: database.db, variables: {}, baseFile: null });
    const load = async () => {
      const config = await store.load();
      return { ...config, agent: { ...config.agent, templateId: defaultTemplate } };
    };
    const deps = { ...ports, db: database.db, config: { ...store, load } };
    call = createRouteApp(ports.logger, templateRoutes(deps));
  });
  afterEach(() => database.close());

  const create = async (body: string, name = 'Mine') =>
    (await call('POST', PATH, { name, body })).body as { id: string };

  it('keeps a template through its life, with an audit row for each change', async () => {
    const made = await call('POST', PATH, { name: ' Mine ', body: 'Fix {{ issue.title }}' });
    expect(made).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^tpl_/), name: 'Mine', builtIn: false },
    });
    const { id } = made.body as { id: string };
    const put = await call('PUT', `${PATH}/${id}`, { body: 'Do {{ issue.title }}' });
    expect(put).toMatchObject({
      status: 200,
      body: { name: 'Mine', body: 'Do {{ issue.title }}' },
    });
    expect(await call('GET', `${PATH}/${id}`)).toMatchObject({ status: 200, body: put.body });
    expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({ status: 204, body: '' });
    expect(await call('GET', `${PATH}/${id}`)).toMatchObject({ status: 404 });
    const rows = await database.db.select().from(audit);
    expect(rows.map(({ operation }) => operation)).toEqual([
      'template.create',
      'template.update',
      'template.delete',
    ]);
  });

  it('lists the built-in one first, then by name, in pages', async () => {
    await create('b', 'Zebra');
    await create('a', 'apple');
    const names = async (query: string) => {
      const { body } = await call('GET', `${PATH}${query}`);
      const { templates, total } = body as { templates: { name: string }[]; total: number };
      expect(total).toBe(3);
      return templates.map(({ name }) => name);
    };
    expect(await names('')).toEqual(['Built-in prompt', 'apple', 'Zebra']);
    expect(await names('?limit=1')).toEqual(['Built-in prompt']);
    expect(await names('?limit=1&offset=1')).toEqual(['apple']);
    expect(await names('?limit=5&offset=2')).toEqual(['Zebra']);
    expect(await call('GET', PATH)).toMatchObject({
      body: { variables: expect.arrayContaining([expect.objectContaining({ path: 'repo.url' })]) },
    });
    for (const query of ['?limit=0', '?limit=501', '?offset=-1'])
      expect(await call('GET', PATH + query)).toMatchObject({ status: 400 });
  });

  it('refuses a used name in any spelling, and one of a built-in template', async () => {
    await create('x');
    const { id } = await create('y', 'Other');
    for (const name of ['mine', ' MINE', 'built-in prompt']) {
      expect(await call('POST', PATH, { name, body: 'x' })).toMatchObject({ status: 409 });
      expect(await call('PUT', `${PATH}/${id}`, { name })).toMatchObject({ status: 409 });
    }
    expect(await call('PUT', `${PATH}/${id}`, { name: 'OTHER' })).toMatchObject({ status: 200 });
  });

  it('says where the syntax is wrong', async () => {
    for (const body of ['ok\n {% if %}', '\n {{ issue.title | shout }}', '\n {% nope %}']) {
      expect(await call('POST', PATH, { name: 'Mine', body })).toMatchObject({
        status: 400,
        body: {
          error: expect.stringContaining('line:2'),
          code: 'template_error',
          details: [{ path: expect.stringMatching(/^body:2:\d+$/), message: expect.any(String) }],
        },
      });
    }
    const { id } = await create('fine');
    expect(await call('PUT', `${PATH}/${id}`, { body: '{{' })).toMatchObject({ status: 400 });
    expect(await call('GET', `${PATH}/${id}`)).toMatchObject({ body: { body: 'fine' } });
  });

  it.each([
    {},
    { name: 'a' },
    { name: '', body: 'x' },
    { name: 'a\nb', body: 'x' },
    { name: 'a', body: '' },
    { name: 'a', body: 'x'.repeat(200_001) },
    { name: 'a', body: 'x', extra: 1 },
    { name: 1, body: 'x' },
  ])('refuses what is no template: %#', async (body) => {
    expect(await call('POST', PATH, body)).toMatchObject({ status: 400 });
  });

  it('renders a preview with the given variables, strictly', async () => {
    const { id } = await create('Fix {{ issue.title }}: {{ issue.labels | join: "+" }}');
    const preview = (body: unknown) => call('POST', `${PATH}/${id}/preview`, body);
    const issue = { title: 'it', labels: ['a', 'b'] };
    expect(await preview({ variables: { issue } })).toMatchObject({
      status: 200,
      body: { rendered: 'Fix it: a+b' },
    });
    expect(await preview({})).toMatchObject({
      body: { rendered: 'Fix Add a page for orders: ui+small' },
    });
    expect(await preview({ variables: { issue: { title: 'x' } } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('issue.labels') },
    });
    for (const body of [{ variables: 1 }, { variables: null }, { variable: {} }])
      expect(await preview(body)).toMatchObject({ status: 400 });
    const draft = { body: 'Draft of {{ issue.title }}', variables: { issue } };
    expect(await preview(draft)).toMatchObject({
      body: { rendered: expect.stringMatching(/^Draft of /) },
    });
    expect((await preview({ body: '{% if %}' })).status).toBe(400);
    const unknown = await call('POST', `${PATH}/tpl_none/preview`, {});
    expect(unknown).toMatchObject({ status: 404, body: { error: 'template tpl_none not found' } });
  });

  it('keeps the built-in one', async () => {
    const path = `${PATH}/default`;
    expect(await call('GET', path)).toMatchObject({ status: 200, body: { builtIn: true } });
    expect(await call('PUT', path, { body: 'x' })).toMatchObject({ status: 409 });
    expect(await call('DELETE', path)).toMatchObject({ status: 409 });
    expect(await call('POST', `${path}/preview`, {})).toMatchObject({ status: 200 });
  });

  it('keeps a template that an issue or the configuration uses', async () => {
    const { id } = await create('x');
    defaultTemplate = id;
    expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('agent.templateId') },
    });
    defaultTemplate = undefined;
    const row = newIssueRow('local', {
      id: 'iss_1',
      identifier: 'SY-7',
      title: 't',
      description: null,
      priority: null,
      state: 'Todo',
      branchName: null,
      url: null,
      labels: [],
      assigneeId: null,
      blockedBy: [],
      createdAtMs: 1,
      updatedAtMs: 1,
      nativeRef: null,
    });
    await database.db.insert(issues).values({ ...row, template_id: id });
    expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('SY-7') },
    });
    await database.db.update(issues).set({ template_id: null });
    expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({ status: 204 });
    expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({ status: 404 });
  });
});
