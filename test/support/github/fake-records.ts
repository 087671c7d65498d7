import type { FakeHook, FakeRepository, FakeUser } from './fake-state.ts';

const AT = '2026-01-01T00:00:00Z';

/** `name_url` fields as GitHub fills its answers with. */
export function urls(base: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [`${name}_url`, `${base}/${name}`]));
}

/** Somebody, as other answers name them. */
export function userRecord(web: string, user: FakeUser) {
  const url = `${web}/api/v3/users/${encodeURIComponent(user.login)}`;
  return {
    ...user,
    ...urls(
      url,
      'avatar events followers following gists organizations received_events repos starred subscriptions',
    ),

    url,
    gravatar_id: '',
    html_url: `${web}/${encodeURIComponent(user.login)}`,
    node_id: `U_${user.id}`,
    site_admin: false,
  };
}

/** Somebody, as `/user` tells it. */
export function ownUserRecord(web: string, user: FakeUser) {
  return {
    ...userRecord(web, user),
    bio: null,
    blog: null,
    company: null,
    email: null,
    hireable: null,
    location: null,
    name: null,
    followers: 0,
    following: 0,
    public_gists: 0,
    public_repos: 1,
    created_at: AT,
    updated_at: AT,
    collaborators: 0,
    disk_usage: 0,
    private_gists: 0,
    owned_private_repos: 0,
    total_private_repos: 0,
    two_factor_authentication: true,
  };
}

export function repositoryRecord(web: string, repository: FakeRepository) {
  const full = `${repository.owner}/${repository.name}`;
  const html = `${web}/${full}`;
  const url = `${web}/api/v3/repos/${full}`;
  const owner = userRecord(web, { login: repository.owner, id: 1, type: 'User' });
  return {
    id: repository.id,
    node_id: `R_${repository.id}`,
    name: repository.name,
    full_name: full,
    html_url: html,
    url,
    owner: { ...owner, type: repository.ownerType },
    ...urls(
      url,
      'archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees',
    ),
    clone_url: `${html}.git`,
    git_url: `${html}.git`,
    ssh_url: `${html}.git`,
    svn_url: html,
    description: null,
    homepage: null,
    language: null,
    license: null,
    mirror_url: null,

    fork: false,
    private: !repository.isPublic,
    archived: false,
    disabled: false,
    default_branch: 'main',
    has_issues: true,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    has_downloads: false,
    size: 1,
    network_count: 0,
    forks: 0,
    forks_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    stargazers_count: 0,
    subscribers_count: 0,
    watchers: 0,
    watchers_count: 0,
    created_at: AT,
    updated_at: AT,
    pushed_at: AT,
  };
}

export function labelRecord(url: string, name: string) {
  return {
    id: 1,
    node_id: 'LA_1',
    url: `${url}/labels/${encodeURIComponent(name)}`,
    name,
    description: '',
    color: 'ededed',
    default: false,
  };
}

export function hookRecord(url: string, type: string, hook: FakeHook, id: number) {
  const own = `${url}/hooks/${id}`;
  return {
    id,
    type,
    name: 'web',
    events: ['push'],
    url: own,
    created_at: AT,
    updated_at: AT,
    ping_url: `${own}/pings`,
    test_url: `${own}/tests`,
    ...hook,
  };
}

export function deliveryRecord(status_code: number, id: number) {
  return {
    id,
    guid: `guid-${id}`,
    delivered_at: AT,
    redelivery: false,
    duration: 0.1,
    status: status_code < 400 ? 'OK' : 'failed',
    status_code,
    event: 'push',
    action: null,
    installation_id: null,
    repository_id: null,
  };
}

export function installationRecord(
  web: string,
  id: number,
  account: FakeUser,
  permissions: Readonly<Record<string, string>>,
) {
  const url = `${web}/api/v3/app/installations/${id}`;
  return {
    id,
    account: userRecord(web, account),
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${web}/api/v3/installation/repositories`,
    html_url: url,
    app_id: 4711,
    app_slug: 'switchyard-app',
    target_id: 1,
    target_type: 'Organization',
    permissions,
    events: [],
    single_file_name: null,
    repository_selection: 'selected',
    suspended_by: null,
    suspended_at: null,
    created_at: AT,
    updated_at: AT,
  };
}

export function appRecord(web: string, id = 15_368, slug = 'github-actions') {
  return {
    id,
    slug,
    node_id: `A_${id}`,
    name: slug,
    owner: userRecord(web, { login: 'github', id: 9_919, type: 'User' }),
    description: '',
    external_url: web,
    html_url: web,
    created_at: AT,
    updated_at: AT,
    permissions: { checks: 'write' },
    events: [],
  };
}
