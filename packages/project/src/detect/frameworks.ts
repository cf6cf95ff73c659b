/** The names of frameworks, as their makers spell them, by dependency. */
export type Frameworks = Readonly<Record<string, string>>;

export const NPM_FRAMEWORKS: Frameworks = {
  next: 'Next.js',
  nuxt: 'Nuxt',
  react: 'React',
  'react-native': 'React Native',
  expo: 'Expo',
  gatsby: 'Gatsby',
  '@remix-run/react': 'Remix',
  '@redwoodjs/core': 'RedwoodJS',
  'react-router': 'React Router',
  vue: 'Vue',
  quasar: 'Quasar',
  svelte: 'Svelte',
  '@sveltejs/kit': 'SvelteKit',
  'solid-js': 'Solid',
  '@solidjs/start': 'SolidStart',
  'solid-start': 'SolidStart',
  preact: 'Preact',
  '@angular/core': 'Angular',
  astro: 'Astro',
  'ember-source': 'Ember',
  lit: 'Lit',
  alpinejs: 'Alpine.js',
  express: 'Express',
  fastify: 'Fastify',
  koa: 'Koa',
  hono: 'Hono',
  '@nestjs/core': 'NestJS',
  electron: 'Electron',
  '@tauri-apps/api': 'Tauri',
  vite: 'Vite',
  '@builder.io/qwik': 'Qwik',
  '@qwik.dev/core': 'Qwik',
  '@tanstack/react-start': 'TanStack Start',
  '@docusaurus/core': 'Docusaurus',
  '@11ty/eleventy': 'Eleventy',
  vitepress: 'VitePress',
  '@hapi/hapi': 'hapi',
  elysia: 'Elysia',
  '@adonisjs/core': 'AdonisJS',
  '@feathersjs/feathers': 'Feathers',
  sails: 'Sails',
  '@strapi/strapi': 'Strapi',
  payload: 'Payload',
  '@capacitor/core': 'Capacitor',
  '@ionic/core': 'Ionic',
  tailwindcss: 'Tailwind CSS',
  '@fresh/core': 'Fresh',
  '$fresh/': 'Fresh',
};

/** Returns the frameworks among dependencies, in the order of the dependencies. */
export function frameworksOf(frameworks: Frameworks, dependencies: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const dependency of dependencies) {
    const framework = Object.hasOwn(frameworks, dependency) ? frameworks[dependency] : undefined;
    if (framework !== undefined) found.add(framework);
  }
  return [...found];
}
