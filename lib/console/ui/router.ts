import { createRouter, createWebHistory, type RouteLocationNormalized } from 'vue-router';
import { onSessionEnd } from './api/client.js';
import { t, type TextKey } from './i18n/i18n.js';
import { live } from './live/live.js';
import { choose, chosen, firstRegistry } from './state/registries.js';
import { fault, showFault } from './state/fault.js';
import { forgetSession, knowSession } from './state/session.js';

declare module 'vue-router' {
  interface RouteMeta {
    readonly title?: TextKey;
    /** True if the page needs no login. */
    readonly isPublic?: boolean;
  }
}

const mountedAt = new URL(document.baseURI).pathname;

/** All pages, below the path where the console is mounted. Names in paths are encoded by the router. */
export const router = createRouter({
  history: createWebHistory(mountedAt),
  scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path ? false : { top: 0 }),
  routes: [
    {
      path: '/login',
      name: 'login',
      component: () => import('./pages/access/LoginPage.vue'),
      meta: { title: 'login.title', isPublic: true },
    },
    {
      path: '/setup',
      name: 'setup',
      component: () => import('./pages/access/SetupPage.vue'),
      meta: { title: 'setup.title', isPublic: true },
    },
    {
      path: '/',
      name: 'home',
      component: () => import('./pages/connections/RegistriesPage.vue'),
      beforeEnter: toOverview,
    },
    {
      path: '/r/:registry',
      name: 'overview',
      component: () => import('./pages/jobs/OverviewPage.vue'),
      meta: { title: 'nav.overview' },
    },
    {
      path: '/r/:registry/jobs',
      name: 'jobs',
      component: () => import('./pages/jobs/JobsPage.vue'),
      meta: { title: 'nav.jobs' },
    },
    {
      path: '/r/:registry/jobs/:job/:tab?',
      name: 'job',
      component: () => import('./pages/job/JobPage.vue'),
      meta: { title: 'nav.jobs' },
    },
    {
      path: '/r/:registry/graphs',
      name: 'graphs',
      component: () => import('./pages/graphs/GraphsPage.vue'),
      meta: { title: 'nav.graphs' },
    },
    {
      path: '/r/:registry/graphs/:graph',
      name: 'graph',
      component: () => import('./pages/graphs/GraphPage.vue'),
      meta: { title: 'nav.graphs' },
    },
    {
      path: '/r/:registry/servers',
      name: 'servers',
      component: () => import('./pages/servers/ServersPage.vue'),
      meta: { title: 'nav.servers' },
    },
    {
      path: '/r/:registry/servers/:ip',
      name: 'server',
      component: () => import('./pages/servers/ServerPage.vue'),
      meta: { title: 'nav.servers' },
    },
    {
      path: '/r/:registry/schedule',
      name: 'schedule',
      component: () => import('./pages/jobs/SchedulePage.vue'),
      meta: { title: 'nav.schedule' },
    },
    { path: '/trace', redirect: { name: 'executions' } },
    {
      path: '/trace/executions',
      name: 'executions',
      component: () => import('./pages/runs/ExecutionsPage.vue'),
      meta: { title: 'nav.trace' },
    },
    {
      path: '/trace/statuses',
      name: 'statuses',
      component: () => import('./pages/runs/StatusesPage.vue'),
      meta: { title: 'nav.trace' },
    },
    {
      path: '/registries',
      name: 'registries',
      component: () => import('./pages/connections/RegistriesPage.vue'),
      meta: { title: 'nav.registries' },
    },
    {
      path: '/data-sources',
      name: 'data-sources',
      component: () => import('./pages/connections/DataSourcesPage.vue'),
      meta: { title: 'nav.dataSources' },
    },
    {
      path: '/users',
      name: 'users',
      component: () => import('./pages/access/UsersPage.vue'),
      meta: { title: 'nav.users' },
    },
    {
      path: '/tokens',
      name: 'tokens',
      component: () => import('./pages/access/TokensPage.vue'),
      meta: { title: 'nav.tokens' },
    },
    {
      path: '/sessions',
      name: 'sessions',
      component: () => import('./pages/access/SessionsPage.vue'),
      meta: { title: 'nav.sessions' },
    },
    {
      path: '/audit',
      name: 'audit',
      component: () => import('./pages/access/AuditPage.vue'),
      meta: { title: 'nav.audit' },
    },
    { path: '/help', name: 'help', component: () => import('./pages/HelpPage.vue'), meta: { title: 'nav.help' } },
    {
      path: '/:rest(.*)*',
      name: 'missing',
      component: () => import('./pages/MissingPage.vue'),
      meta: { title: 'missing.title' },
    },
  ],
});

async function toOverview(): Promise<object> {
  const registry = await firstRegistry();
  return registry === undefined ? { name: 'registries' } : { name: 'overview', params: { registry } };
}

router.beforeEach(async (to) => {
  if (to.meta.isPublic === true) return true;
  if ((await knowSession()) === undefined) return { name: 'login', query: wanted(to) };
  return true;
});

router.onError((error, to) => showFault(error, () => void router.push(to.fullPath).catch(() => undefined)));

router.afterEach((to) => {
  fault.value = undefined;
  const { registry, job, ip, graph } = to.params;
  const place = [job, ip, graph].find((each) => typeof each === 'string' && each !== '');
  document.title = [place, to.meta.title && t(to.meta.title), 'ElasticJob'].filter(Boolean).join(' · ');
  if (to.meta.isPublic === true) return;
  if (typeof registry === 'string') choose(registry);
  live.watch(chosen.value, typeof job === 'string' ? job : undefined);
});

const wanted = (to: RouteLocationNormalized): { returnTo?: string } =>
  to.path === '/' ? {} : { returnTo: to.fullPath };

/** Opens the login page, which then returns to the present page. */
export function toLogin(): void {
  const { currentRoute } = router;
  if (currentRoute.value.meta.isPublic === true) return;
  forgetSession();
  void router.push({ name: 'login', query: wanted(currentRoute.value) });
}

onSessionEnd(toLogin);
live.listen((event) => event.type === 'bye' && event.reason === 'logged-out' && toLogin());
