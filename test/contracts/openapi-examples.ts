/** A body that the service takes, and ones that it refuses as the document says. */
export type BodyExample = { good: readonly unknown[]; bad: readonly unknown[] };

const text = (length: number) => 'x'.repeat(length);
const signing = { kty: 'OKP', crv: 'Ed25519', x: 'a' };
const secret = {
  secret: '$SECRET:NPM_TOKEN',
  hosts: ['Registry.example.org', 'npm.example.org:8443', '[::1]:443'],
};

/** By operation: method and path. Every operation with a body is here. */
export const BODIES: Readonly<Record<string, BodyExample>> = {
  'post /api/v1/session': { good: [{ token: 'secret' }], bad: [{}, { token: '' }] },
  'post /api/v1/tokens': {
    good: [{ name: 'ada@example.com', scope: 'read' }],
    bad: [
      { name: '-x', scope: 'read' },
      { name: 'ada', scope: 'everything' },
    ],
  },
  'post /webhooks/tracker': { good: [{ action: 'update' }], bad: ['text'] },
  'post /webhooks/codehost': { good: [{ action: 'opened' }], bad: [[]] },
  'post /api/v1/webhooks/trigger': {
    good: [{ action: 're_poll' }, { action: 'create_issue', title: 'Fix it', priority: 1 }],
    bad: [{ action: 'destroy' }, { action: 'create_issue' }],
  },
  'post /api/v1/pause': {
    good: [{ reason: 'release' }, { reason: 'release', stopRunning: false }],
    bad: [{}, { reason: 'release', stopRunning: 'no' }],
  },
  'post /api/v1/runners/tokens': {
    good: [{}, { labels: ['gpu'], expiresInMs: 60_000 }],
    bad: [{ expiresInMs: 1 }],
  },
  'post /api/v1/runners/{rid}/sandbox-image': {
    good: [{}, { baseImage: 'registry.test:5000/team/debian:12' }],
    bad: [{ baseImage: '' }, { baseImage: 'debian\nRUN true' }, { base: 'debian' }],
  },
  'post /api/v1/runners/join': {
    good: [{ name: 'box', labels: [], keys: { signing, sealing: signing }, version: '1.0.0' }],
    bad: [{ name: 'box', labels: [], version: '1.0.0' }],
  },
  'post /api/v1/runners/sync': {
    good: [{ messages: [], waitMs: 0 }],
    bad: [{ messages: {} }, { messages: [], waitMs: -1 }],
  },
  'post /api/v1/requests/{requestId}/answer': {
    good: [{ answers: { colour: ['blue'] } }],
    bad: [{ answers: { colour: 'blue' } }],
  },
  'post /api/v1/engine/mcp/oauth/login': { good: [{ name: 'docs' }], bad: [{ name: '' }] },
  'post /api/v1/engine/threads/{threadId}/fork': {
    good: [{}, { lastTurnId: 'turn_1' }],
    bad: [{ lastTurnId: '../x' }],
  },
  'post /api/v1/engine/threads/{threadId}/name': { good: [{ name: 'Mine' }], bad: [{}] },
  'post /api/v1/engine/account/login/start': {
    good: [{ type: 'apiKey', apiKey: 'sk-1' }],
    bad: [{ type: '' }],
  },
  'post /api/v1/engine/account/login/cancel': { good: [{ loginId: 'l-1' }], bad: [{}] },
  'post /api/v1/engines/{name}/test': {
    good: [{}, { runner: 'run_1', choice: 'claude/opus', timeoutMs: 60_000 }],
    bad: [{ timeoutMs: 1 }, { runner: '' }, { engine: 'other' }],
  },
  'post /api/v1/engine/requests/user-input/{requestId}/respond': {
    good: [{ result: { answers: { colour: 'blue', size: { answers: ['big'] } } } }],
    bad: [{ answers: {} }],
  },
  'put /api/v1/config/overlay': { good: [{ max_concurrent: 2 }], bad: [[], 'text'] },
  'patch /api/v1/config/overlay/{path}': { good: [{ value: 5 }], bad: [{ Value: 5 }] },
  'post /api/v1/secrets/{key}': { good: [{ value: 'hush' }], bad: [{}, { value: '' }] },
  'put /api/v1/setup/repo-route/{index}': {
    good: [{ prefix: 'PUT-', url: 'https://git.example/app.git' }],
    bad: [{ prefix: 'SY-' }],
  },
  'post /api/v1/setup/repo-route': {
    good: [
      { prefix: 'SY-', url: 'https://git.example/app.git', default_branch: 'main' },
      { label: 'web', url: 'https://git.example/web.git', secrets: [secret] },
    ],
    bad: [
      { prefix: 'SY-' },
      { url: 'https://git.example/app.git' },
      { prefix: 'SY-', url: 'x', secrets: [{ ...secret, hosts: ['a b'] }] },
    ],
  },
  'post /api/v1/setup/check': { good: [{ step: 'repository' }], bad: [{ step: 'luck' }] },
  'post /api/v1/setup/master-key/confirm': { good: [{}], bad: [{ key: '' }] },
  'post /api/v1/setup/github': {
    good: [{ token: 'ghp_x', endpoint: 'http://127.0.0.1:9/' }],
    bad: [{}, { token: 'ghp_x', endpoint: 'nowhere' }],
  },
  'post /api/v1/setup/provider': {
    good: [
      { model: 'm', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-1' },
      { wireApi: 'messages', baseUrl: 'http://127.0.0.1:9/v1', engine: 'claude', model: 'm' },
    ],
    bad: [{ baseUrl: 'nowhere' }, { wireApi: 'soap' }, { engine: 'No Engine' }],
  },
  'post /api/v1/setup/provider/models': {
    good: [{ wireApi: 'gemini', baseUrl: 'http://127.0.0.1:9/v1beta', apiKey: 'sk-1' }, {}],
    bad: [{ baseUrl: 'nowhere' }, { wireApi: 'soap' }, { engine: 'claude' }],
  },
  'post /api/v1/setup/test-issue': { good: [{}], bad: [{ title: '' }] },
  'post /api/v1/setup/tracker/key': { good: [{ apiKey: 'lin_api_x' }], bad: [{}] },
  'post /api/v1/setup/tracker/sign-in': {
    good: [{ clientId: 'c', redirectUri: 'http://127.0.0.1:4000/setup' }],
    bad: [{ clientId: 'c', redirectUri: 'nowhere' }],
  },
  'post /api/v1/setup/tracker/sign-in/complete': {
    good: [{ code: 'c', state: 's' }],
    bad: [{ code: 'c' }],
  },
  'post /api/v1/setup/tracker/webhook': {
    good: [{ url: 'https://switchyard.example/webhooks/tracker' }],
    bad: [{ url: 'nowhere' }],
  },
  'post /api/v1/templates': {
    good: [{ name: 'Prüfe – 日本', body: 'Do {{ issue.title }}' }],
    bad: [{ name: 'a\nb', body: 'x' }, { name: 'a' }],
  },
  'put /api/v1/templates/{id}': { good: [{ name: 'Renamed' }], bad: [{ name: 'a\u0007' }] },
  'post /api/v1/templates/{id}/preview': {
    good: [{ variables: { issue: { title: 'T' } } }],
    bad: [{ variables: [] }],
  },
  'post /api/v1/local/issues': {
    good: [
      { title: 'Fix', state: 'Todo', priority: 2, labels: ['web'], blockedBy: [] },
      { title: 'Part', parent: 'SY-1' },
    ],
    bad: [{}, { title: 'Fix', priority: 9 }],
  },
  'patch /api/v1/local/issues/{id}': {
    good: [{ title: 'Fix', description: null }, { parent: null }, { parent: 'SY-2' }],
    bad: [{ title: text(501) }],
  },
  'post /api/v1/local/issues/{id}/comments': { good: [{ body: 'Hello' }], bad: [{ body: '' }] },
  'post /api/v1/{id}/model': {
    good: [{ model: 'gpt-5.4' }, { model: 'gpt-5.4', reasoning_effort: 'high' }],
    bad: [{ model: 'a\u0000' }, { reasoning_effort: 'high' }],
  },
  'post /api/v1/{id}/template': { good: [{ template_id: 'default' }], bad: [{}] },
  'post /api/v1/{id}/sub-issues': {
    good: [
      {
        subIssues: [{ title: 'Prüfe – 日本' }, { title: 'b', description: 'c', blockedBy: ['#1'] }],
      },
      { subIssues: [{ title: 'a', labels: [], priority: 1, blockedBy: ['SY-1'] }] },
    ],
    bad: [{}, { subIssues: [] }, { subIssues: [{ title: '' }] }, { subIssues: [{ title: 1 }] }],
  },
  'post /api/v1/{id}/steer': { good: [{ message: 'Go on' }], bad: [{ message: '' }] },
  'post /api/v1/{id}/transition': {
    good: [
      { to: 'Todo' },
      { target_state: 'Todo', reason: 'again' },
      { to: 'Todo', stopRunning: false },
    ],
    bad: [{}, { to: 'Todo', stopRunning: 'no' }, { reason: 'again' }],
  },
};

/** A value of a parameter that is taken, and one that is refused; null: every text is taken. */
export type ParameterExample = readonly [good: string, bad: string | null];

const LIMIT: ParameterExample = ['10', '0'];
const RUNNER: ParameterExample = ['run_1', ''];

/** By `in name`, with the path before it where the name alone does not tell. */
export const PARAMETERS: Readonly<Record<string, ParameterExample>> = {
  'query days': ['30', '0'],
  'query leads': ['true', 'maybe'],
  'query download': ['1', 'yes'],
  'query limit': LIMIT,
  'query q': ['cache', 'x'.repeat(201)],
  'query offset': ['0', '-1'],
  'query after': ['0', '-1'],
  'query last': ['10', '0'],
  'query cursor': ['12', text(2_049)],
  'query provider': ['tracker', 'nobody'],
  'query issue': ['SY-1', text(65)],
  'query types': ['issue.updated', text(2_001)],
  'query follow': ['false', 'maybe'],
  'query key': [text(43), text(257)],
  'query group': ['person', 'lost'],
  'query state': ['asked', text(65)],
  'query description': ['excerpt', 'none'],
  'query runner': RUNNER,
  'query engine': ['codex', 'No name'],
  'query sortKey': ['created_at', text(65)],
  'query archived': ['true', 'yes'],
  'query includeTurns': ['true', 'yes'],
  'query modelProviders': ['openai', text(4_001)],
  'query sourceKinds': ['cli', text(4_001)],
  'query unread': ['true', 'yes'],
  'query channel': ['team', text(101)],
  'query automation_name': ['nightly', ''],
  'query rule_name': ['failures', ''],
  'query verify': ['true', 'yes'],
  'query status': ['open', 'lost'],
  'query version': ['3.1', '2.0'],
  'header x-service-trigger-key': ['trigger-key', text(8_193)],
  'header idempotency-key': ['key-1', 'a b'],
  'header last-event-id': ['7', '-1'],
  'path tokenId': ['tok_1', text(65)],
  'path number': ['1', '0'],
  'path sha256': ['a'.repeat(64), 'A'.repeat(64)],
  'path rid': ['run_1', text(65)],
  'path attemptId': ['att_1', text(65)],
  'path epoch': ['1', '0'],
  'path name': ['session.tar', ''],
  'path requestId': ['req_1', text(65)],
  'path threadId': ['thread-1', '../x'],
  'path path': ['agent.maxConcurrentAgents', null],
  'path key': ['NPM_TOKEN', null],
  'path index': ['0', '-1'],
  'path aid': ['att_1', text(65)],
  'path id': ['SY-1', null],
  '/api/v1/{id} path id': ['SY-1', 'nothing'],
  '/api/v1/engines/{name}/test path name': ['codex', 'No name'],
  '/api/v1/templates/{id} path id': ['default', ''],
  '/api/v1/notifications/{id} path id': ['ntf_1', ''],
  '/api/v1/workspaces/{key} path key': ['SY-1', ''],
};
