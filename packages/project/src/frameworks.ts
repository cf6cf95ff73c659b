/** Frameworks by the dependency that brings them, in the spelling of their makers. */
const NPM: ReadonlyMap<string, string> = new Map(
  Object.entries({
    next: 'Next.js',
    nuxt: 'Nuxt',
    react: 'React',
    'react-native': 'React Native',
    expo: 'Expo',
    gatsby: 'Gatsby',
    '@remix-run/react': 'Remix',
    'react-router': 'React Router',
    vue: 'Vue',
    svelte: 'Svelte',
    '@sveltejs/kit': 'SvelteKit',
    'solid-js': 'Solid',
    preact: 'Preact',
    '@angular/core': 'Angular',
    astro: 'Astro',
    'ember-source': 'Ember',
    lit: 'Lit',
    express: 'Express',
    fastify: 'Fastify',
    koa: 'Koa',
    hono: 'Hono',
    '@nestjs/core': 'NestJS',
    electron: 'Electron',
    '@tauri-apps/api': 'Tauri',
    vite: 'Vite',
  }),
);

const PYTHON: ReadonlyMap<string, string> = new Map(
  Object.entries({
    django: 'Django',
    flask: 'Flask',
    fastapi: 'FastAPI',
    starlette: 'Starlette',
    tornado: 'Tornado',
    aiohttp: 'aiohttp',
    streamlit: 'Streamlit',
    gradio: 'Gradio',
    celery: 'Celery',
    scrapy: 'Scrapy',
    torch: 'PyTorch',
    tensorflow: 'TensorFlow',
  }),
);

const RUST: ReadonlyMap<string, string> = new Map(
  Object.entries({
    axum: 'Axum',
    'actix-web': 'Actix Web',
    rocket: 'Rocket',
    warp: 'warp',
    tauri: 'Tauri',
    bevy: 'Bevy',
    leptos: 'Leptos',
    yew: 'Yew',
    dioxus: 'Dioxus',
  }),
);

const GO: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'github.com/gin-gonic/gin': 'Gin',
    'github.com/labstack/echo': 'Echo',
    'github.com/gofiber/fiber': 'Fiber',
    'github.com/go-chi/chi': 'chi',
    'github.com/gorilla/mux': 'Gorilla',
    'github.com/spf13/cobra': 'Cobra',
    'github.com/charmbracelet/bubbletea': 'Bubble Tea',
  }),
);

const PHP: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'laravel/framework': 'Laravel',
    'symfony/framework-bundle': 'Symfony',
    'slim/slim': 'Slim',
    'cakephp/cakephp': 'CakePHP',
    'codeigniter4/framework': 'CodeIgniter',
    'laminas/laminas-mvc': 'Laminas',
  }),
);

const RUBY: ReadonlyMap<string, string> = new Map(
  Object.entries({ rails: 'Rails', sinatra: 'Sinatra', hanami: 'Hanami', jekyll: 'Jekyll' }),
);

const TABLES = { npm: NPM, python: PYTHON, rust: RUST, go: GO, php: PHP, ruby: RUBY } as const;

/** The frameworks among dependencies, in the order of the dependencies. */
export function frameworksOf(ecosystem: keyof typeof TABLES, dependencies: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const dependency of dependencies) {
    const framework = TABLES[ecosystem].get(dependency);
    if (framework !== undefined) found.add(framework);
  }
  return [...found];
}
