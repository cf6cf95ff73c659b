/** Frameworks by the names of their packages, as their makers spell them. */
const FRAMEWORKS = {
  npm: byPackage(`
    next=Next.js, nuxt=Nuxt, react=React, react-native=React Native, expo=Expo, gatsby=Gatsby,
    @remix-run/react=Remix, @redwoodjs/core=RedwoodJS, react-router=React Router, vue=Vue, quasar=Quasar,
    svelte=Svelte, @sveltejs/kit=SvelteKit, solid-js=Solid, @solidjs/start=SolidStart, solid-start=SolidStart,
    preact=Preact, @angular/core=Angular, astro=Astro, ember-source=Ember, lit=Lit, alpinejs=Alpine.js,
    express=Express, fastify=Fastify, koa=Koa, hono=Hono, @nestjs/core=NestJS, electron=Electron,
    @tauri-apps/api=Tauri, vite=Vite, @builder.io/qwik=Qwik, @qwik.dev/core=Qwik,
    @tanstack/react-start=TanStack Start, @docusaurus/core=Docusaurus, @11ty/eleventy=Eleventy, vitepress=VitePress,
    @hapi/hapi=hapi, elysia=Elysia, @adonisjs/core=AdonisJS, @feathersjs/feathers=Feathers, sails=Sails,
    @strapi/strapi=Strapi, payload=Payload, @capacitor/core=Capacitor, @ionic/core=Ionic, tailwindcss=Tailwind CSS,
    @fresh/core=Fresh, $fresh/=Fresh`),
  go: byPackage(`
    github.com/gin-gonic/gin=Gin, github.com/labstack/echo=Echo, github.com/gofiber/fiber=Fiber,
    github.com/go-chi/chi=chi, github.com/gorilla/mux=Gorilla, github.com/beego/beego=Beego,
    github.com/astaxie/beego=Beego, github.com/gobuffalo/buffalo=Buffalo, github.com/kataras/iris=Iris,
    github.com/revel/revel=Revel, github.com/gogf/gf=GoFrame, github.com/cloudwego/hertz=Hertz,
    github.com/zeromicro/go-zero=go-zero, github.com/go-kratos/kratos=Kratos, github.com/wailsapp/wails=Wails,
    fyne.io/fyne=Fyne, github.com/urfave/cli=urfave/cli, github.com/spf13/cobra=Cobra,
    github.com/charmbracelet/bubbletea=Bubble Tea`),
  composer: byPackage(`
    laravel/framework=Laravel, symfony/framework-bundle=Symfony, symfony/symfony=Symfony,
    api-platform/core=API Platform, laravel/lumen-framework=Lumen, livewire/livewire=Livewire, yiisoft/yii2=Yii,
    drupal/core=Drupal, drupal/core-recommended=Drupal, typo3/cms-core=TYPO3, slim/slim=Slim,
    cakephp/cakephp=CakePHP, codeigniter4/framework=CodeIgniter, codeigniter/framework=CodeIgniter,
    laminas/laminas-mvc=Laminas, mezzio/mezzio=Mezzio`),
  ruby: byPackage(`
    rails=Rails, sinatra=Sinatra, hanami=Hanami, grape=Grape, roda=Roda, padrino=Padrino, jekyll=Jekyll,
    middleman=Middleman`),
  cargo: byPackage(`
    axum=Axum, actix-web=Actix Web, rocket=Rocket, warp=warp, tide=Tide, poem=Poem, salvo=Salvo, loco-rs=Loco,
    tonic=tonic, tauri=Tauri, bevy=Bevy, leptos=Leptos, yew=Yew, dioxus=Dioxus, iced=iced, eframe=egui, slint=Slint`),
  python: byPackage(`
    django=Django, djangorestframework=Django REST framework, wagtail=Wagtail, flask=Flask, fastapi=FastAPI,
    starlette=Starlette, litestar=Litestar, sanic=Sanic, quart=Quart, pyramid=Pyramid, bottle=Bottle, falcon=Falcon,
    cherrypy=CherryPy, tornado=Tornado, aiohttp=aiohttp, streamlit=Streamlit, gradio=Gradio, dash=Dash,
    nicegui=NiceGUI, reflex=Reflex, celery=Celery, scrapy=Scrapy, torch=PyTorch, pytorch=PyTorch, jax=JAX,
    tensorflow=TensorFlow`),
};

/** Returns the frameworks among the dependencies of one kind, in the order of the dependencies. */
export function frameworksOf(kind: keyof typeof FRAMEWORKS, dependencies: Iterable<string>): string[] {
  return [...new Set([...dependencies].flatMap((dependency) => FRAMEWORKS[kind].get(dependency) ?? []))];
}

function byPackage(rows: string): ReadonlyMap<string, string> {
  const split = (row: string) => [row.slice(0, row.indexOf('=')), row.slice(row.indexOf('=') + 1)] as const;
  return new Map(rows.trim().split(/,\s+/).map(split));
}
