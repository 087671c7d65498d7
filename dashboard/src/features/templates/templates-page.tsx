import type { Template } from '@switchyard/shared/api/admin/template';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { templatesQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { Button } from '../../ui/button.tsx';
import './templates.css';

/** Name in the address for a template that does not exist yet. */
const NEW = 'new';

/** The prompt templates of agents, with an editor and a preview. */
export function TemplatesPage() {
  const templates = useQuery(templatesQuery);
  const { id } = useSearch({ from: '/templates' });
  const navigate = useNavigate();
  const open = (next: string) => void navigate({ to: '/templates', search: { id: next } });
  return (
    <Page
      title="Templates"
      actions={
        <Button icon="plus" primary onClick={() => open(NEW)}>
          New template
        </Button>
      }
    >
      <QueryView query={templates} skeletonLines={8}>
        {(list) => {
          const chosen = list.templates.find((template) => template.id === id);
          const shown = id === NEW ? null : (chosen ?? list.templates[0]);
          return (
            <div class="templates">
              <TemplateList templates={list.templates} shownId={shown?.id ?? NEW} />
              {shown === undefined ? (
                <EmptyState icon="template" title="No templates">
                  <p>A template is the first prompt of an agent. Create one to customize it.</p>
                </EmptyState>
              ) : (
                <TemplateEditor
                  key={shown?.id ?? NEW}
                  template={shown}
                  proposal={list.templates.find((each) => each.builtIn)?.body ?? ''}
                  variables={list.variables}
                  onOpen={open}
                />
              )}
            </div>
          );
        }}
      </QueryView>
    </Page>
  );
}

function TemplateList({ templates, shownId }: { templates: Template[]; shownId: string }) {
  return (
    <nav aria-label="Templates">
      <ul class="template-list">
        {templates.map((template) => (
          <li key={template.id}>
            <Link
              to="/templates"
              search={{ id: template.id }}
              className={template.id === shownId ? 'chosen' : ''}
              aria-current={template.id === shownId ? 'true' : undefined}
            >
              <Icon name="template" size={14} />
              <span class="grow wrap">{template.name}</span>
              {template.builtIn && <span class="tag">built in</span>}
            </Link>
          </li>
        ))}
        {shownId === NEW && (
          <li>
            <span class="chosen" aria-current="true">
              <Icon name="plus" size={14} /> New template
            </span>
          </li>
        )}
      </ul>
    </nav>
  );
}
