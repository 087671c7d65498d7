import { Link, Navigate, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'preact/hooks';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useNarrow } from '../../ui/layout/use-narrow.ts';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { DOC_PAGES } from './doc-pages.ts';
import './docs.css';

/** The start page of the documentation. */
export function DocsStart() {
  return <Navigate to="/docs/$page" params={{ page: 'setup' }} replace />;
}

/** The documentation of this version. */
export function DocsPage() {
  const { page: name } = useParams({ from: '/docs/$page' });
  const { hash } = useLocation();
  const page = DOC_PAGES.find((each) => each.name === name);
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [page, hash]);
  return (
    <Page title={page?.title ?? 'Documentation'}>
      <div class="docs">
        <nav aria-label="Documentation">
          {useNarrow() ? (
            // The key closes the list again on the next page.
            <details key={name}>
              <summary>Pages</summary>
              <PageLinks />
            </details>
          ) : (
            <PageLinks />
          )}
        </nav>
        {page === undefined ? (
          <EmptyState icon="help" title="Page not found">
            <p>The documentation of this version has no page with that name.</p>
          </EmptyState>
        ) : (
          <article key={page.name}>
            {page.sections.map(({ heading, slug, text }, position) => (
              <section key={slug} id={slug}>
                {position > 0 && <h2>{heading}</h2>}
                <Markdown text={text} isOurs />
              </section>
            ))}
          </article>
        )}
      </div>
    </Page>
  );
}

function PageLinks() {
  return (
    <ul>
      {DOC_PAGES.map((each) => (
        <li key={each.name}>
          <Link to="/docs/$page" params={{ page: each.name }}>
            {each.title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
