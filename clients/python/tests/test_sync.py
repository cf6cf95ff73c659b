from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, wait
from typing import Any

from jinn import (
    Answer,
    CallTimeout,
    Decision,
    Jinn,
    Progress,
    Question,
    SessionClosed,
    SessionLost,
    StartError,
    ToolError,
)
from workspace import PROGRAM, WorkspaceTest, is_alive, until_told


class SyncTest(WorkspaceTest):
    def open(self, **more: Any) -> Jinn:
        jinn = Jinn(**{**self.options, **more})
        self.addCleanup(jinn.close)
        return jinn


class Events(SyncTest):
    def test_a_transcript_can_be_drawn_of_them(self) -> None:
        jinn = self.open(approve=lambda question: "once")
        self.write("a.txt", "one\n")
        events = jinn.events()
        jinn.call("read_file", {"path": "a.txt"})
        jinn.answer({"type": "function", "id": "x", "function": {"name": "list_dir", "arguments": "{}"}})
        with self.assertRaises(ToolError):
            jinn.call("read_file", {"path": "none"})
        jinn.call("run_shell", {"command": "rm -rf a.txt"})
        jinn.close()
        seen = list(events)
        self.assertEqual(
            [(event.call, event.tool, event.type) for event in seen if event.type != "progress"],
            [
                *[(1, "read_file", "start"), (1, "read_file", "end")],
                *[(2, "list_dir", "start"), (2, "list_dir", "end")],
                *[(3, "read_file", "start"), (3, "read_file", "end")],
                (4, "run_shell", "start"),
                *[(4, "run_shell", "question"), (4, "run_shell", "decision"), (4, "run_shell", "end")],
            ],
        )
        ends = [event.outcome for event in seen if event.type == "end"]
        assert isinstance(ends[0], Answer) and isinstance(ends[1], dict)
        self.assertEqual((ends[0].result, ends[1]["tool_call_id"]), ("1\tone", "x"))
        self.assertIsInstance(ends[2], ToolError)
        [question, decision] = [event for event in seen if event.type in ("question", "decision")]
        assert question.question
        self.assertIn("rm -rf a.txt", question.question.message)
        self.assertEqual(decision.decision, "once")
        self.assertEqual(list(jinn.events()), [])

    def test_progress_and_a_cancel_are_told(self) -> None:
        jinn = self.open()
        events = jinn.events()
        call = jinn.submit("run_shell", {"command": "for i in 1 2 3; do echo $i; sleep 0.4; done; sleep 30"})
        seen = [next(events) for _ in range(2)]
        call.cancel()
        while seen[-1].type != "end":
            seen.append(next(events))
        self.assertEqual([seen[0].type, seen[1].type], ["start", "progress"])
        assert seen[1].progress
        self.assertIsInstance(seen[-1].outcome, CancelledError)


class Options(SyncTest):
    def test_they_choose_the_tools(self) -> None:
        self.assertEqual([each["name"] for each in self.open(tools=["read_file", "undo"]).tools()], ["read_file", "undo"])
        names = [each["name"] for each in self.open(read_only=True, exclude_tools=["list_tools"]).tools()]
        self.assertIn("read_file", names)
        self.assertFalse({"list_tools", "write_file"} & set(names))

    def test_without_history_nothing_can_be_undone(self) -> None:
        jinn = self.open(history=False)
        self.assertNotIn("undo_id", jinn.call("write_file", {"path": "a.txt", "content": ""}).meta)

    def test_wrong_ones_are_refused(self) -> None:
        wrongs: list[dict[str, Any]] = [{"toolsets": "lean"}, {"tools": "read_file"}, {"readonly": True}]
        for wrong in wrongs:
            with self.assertRaises(TypeError):
                Jinn(**{**self.options, **wrong})
        with self.assertRaisesRegex(StartError, "required"):
            self.open(sandbox="required").call("list_dir")


class Calls(SyncTest):
    def test_a_file_is_written_read_and_restored(self) -> None:
        with self.open() as jinn:
            self.write("a.txt", "one\n")
            read = jinn.call("read_file", {"path": "a.txt"})
            self.assertEqual(read.result, "1\tone")
            edited = jinn.call("edit_file", {"path": "a.txt", "old_text": "one", "new_text": "two"})
            self.assertEqual((self.root / "a.txt").read_text(), "two\n")
            jinn.call("undo", {"action": "restore", "id": edited.meta["undo_id"]})
            self.assertEqual((self.root / "a.txt").read_text(), "one\n")

    def test_data_is_the_value_of_a_result_that_is_json(self) -> None:
        self.write("a.txt", "")
        listed = self.open().call("list_dir").data
        self.assertEqual(listed["entries"], ["a.txt"])

    def test_an_error_has_the_code_the_message_and_the_next_step(self) -> None:
        with self.assertRaises(ToolError) as caught:
            self.open().call("read_file", {"path": "none.txt"})
        error = caught.exception
        self.assertEqual(error.code, "file_not_found")
        self.assertIn("none.txt", error.message)
        self.assertEqual(str(error), f"file_not_found: {error.message}; {error.suggestion}")

    def test_an_image_is_given(self) -> None:
        png = bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d"
            "49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
        )
        (self.root / "a.png").write_bytes(png)
        [image] = self.open().call("read_file", {"path": "a.png"}).content
        self.assertEqual(image.mime_type, "image/png")

    def test_a_thousand_calls_at_once_are_all_answered(self) -> None:
        jinn = self.open()
        for i in range(10):
            self.write(f"{i}.txt", f"text {i}\n")
        futures = [jinn.submit("read_file", {"path": f"{i % 10}.txt"}) for i in range(1_000)]
        self.assertEqual([each.result().result for each in futures], [f"1\ttext {i % 10}" for i in range(1_000)])

    def test_many_threads_call_one_session(self) -> None:
        jinn = self.open()
        self.write("a.txt", "x\n")
        results: list[str] = []
        work = lambda: results.extend(jinn.call("read_file", {"path": "a.txt"}).result for _ in range(20))
        threads = [threading.Thread(target=work) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, ["1\tx"] * 400)

    def test_large_requests_and_answers_at_once(self) -> None:
        jinn = self.open()
        texts = [f"{i}\n" + f"{'é' * 500}\n" * 40 for i in range(10)]
        more = "x" * 1_000_000
        for future in [jinn.submit("write_file", {"path": f"{i}.txt", "content": texts[i] + more}) for i in range(10)]:
            future.result()
        self.assertEqual((self.root / "9.txt").read_text(), texts[9] + more)
        reads = {"files": [{"path": f"{i}.txt", "end_line": 41} for i in range(10)]}
        answers = [future.result().result for future in [jinn.submit("multi_read", reads) for _ in range(50)]]
        self.assertGreater(len(answers[0].encode()), 400_000)
        self.assertEqual(answers, [answers[0]] * 50)

    def test_calls_that_are_not_parallel_run_in_order(self) -> None:
        jinn = self.open()
        first = jinn.submit("run_shell", {"command": "until [ -s log ]; do sleep 0.05; done; echo first >> log"}, parallel=False)
        second = jinn.submit("run_shell", {"command": "echo second >> log"}, parallel=False)
        other = jinn.submit("run_shell", {"command": "echo other >> log"})
        wait([first, second, other])
        self.assertEqual((self.root / "log").read_text().split(), ["other", "first", "second"])

    def test_the_tools_of_each_api(self) -> None:
        jinn = self.open(toolsets=["lean"])
        names = [tool["name"] for tool in jinn.tools()]
        self.assertIn("read_file", names)
        self.assertEqual([tool["function"]["name"] for tool in jinn.tools("openai", strict=True)], names)
        self.assertEqual([tool["name"] for tool in jinn.tools("anthropic")], names)

    def test_the_model_is_not_shown_how_to_overrule_a_question(self) -> None:
        schemas = {tool["name"]: tool["inputSchema"] for tool in self.open().tools()}
        self.assertNotIn("force", schemas["run_shell"]["properties"])

    def test_calls_of_models_are_answered_in_kind_though_their_ids_repeat(self) -> None:
        self.write("a.txt", "x\n")
        jinn = self.open()
        use = {"type": "tool_use", "id": "same", "name": "read_file", "input": {"path": "a.txt"}}
        arguments = '{"path":"a.txt"}'
        chat = {"type": "function", "id": "same", "function": {"name": "read_file", "arguments": arguments}}
        response = {"type": "function_call", "call_id": "same", "name": "read_file", "arguments": arguments}
        calls: list[dict[str, Any]] = [use, use, chat, response]
        answers = [jinn.answer(call) for call in calls]
        result = {"type": "tool_result", "tool_use_id": "same", "content": "1\tx"}
        self.assertEqual(answers[:2], [result, result])
        self.assertEqual(answers[2], {"role": "tool", "tool_call_id": "same", "content": "1\tx"})
        self.assertEqual(answers[3], {"type": "function_call_output", "call_id": "same", "output": "1\tx"})
        self.assertTrue(jinn.answer({**use, "input": {"path": "none"}})["is_error"])


class Refusals(SyncTest):
    def test_a_call_of_no_api_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "the type of a call is one of tool_use"):
            self.open().answer({"name": "read_file"})
        with self.assertRaisesRegex(KeyError, "id"):
            self.open().answer({"type": "tool_use", "name": "read_file", "input": {}})

    def test_what_jinn_would_refuse_without_naming_the_call_is_refused(self) -> None:
        jinn = self.open()
        deep: Any = 1
        for _ in range(70):
            deep = {"a": deep}
        with self.assertRaisesRegex(ValueError, "nested deeper than 64 levels"):
            jinn.call("read_file", deep)
        same_keys: Any = {1: "a", "1": "b"}
        with self.assertRaisesRegex(TypeError, "a key of the arguments is 1"):
            jinn.call("read_file", same_keys)
        with self.assertRaisesRegex(ValueError, "at most 67108864 are taken"):
            jinn.call("write_file", {"path": "a.txt", "content": "x" * (64 * 1024 * 1024)})
        with self.assertRaisesRegex(ValueError, "not JSON compliant"):
            jinn.call("read_file", {"path": "a.txt", "start_line": float("nan")})
        deepest: Any = 1
        for _ in range(63):
            deepest = {"a": deepest}
        with self.assertRaises(ToolError) as caught:
            jinn.call("read_file", deepest)
        self.assertEqual(caught.exception.code, "invalid_args")

    def test_a_wrong_path_of_the_program_is_told(self) -> None:
        with self.assertRaisesRegex(StartError, "no-such-jinn cannot be started: no absolute directory of PATH has it$"):
            self.open(program="no-such-jinn")
        with self.assertRaisesRegex(StartError, "/no-such-jinn cannot be started in .*: No such file .*/no-such-jinn$"):
            self.open(program=str(self.home / "no-such-jinn"))
        with self.assertRaisesRegex(StartError, "cannot be started in .*: No such file .*none$"):
            self.open(root=self.root / "none")

    def test_a_program_in_the_root_is_not_run(self) -> None:
        planted = self.root / "jinn"
        planted.write_text(f'#!/bin/sh\ntouch "{self.home}/ran"\n')
        planted.chmod(0o755)
        for path in (".", "", f".{os.pathsep}/nowhere"):
            with self.assertRaises(StartError):
                self.open(program="jinn", env={"PATH": path})
        self.assertFalse((self.home / "ran").exists())

    def test_a_wrong_flag_is_told(self) -> None:
        jinn = self.open(flags=["--no-such-flag"])
        with self.assertRaisesRegex(StartError, "status 2; standard error: .*no-such-flag"):
            jinn.call("list_dir")
        with self.assertRaisesRegex(StartError, "gave no schemas: .*no-such-flag"):
            jinn.tools()

    def test_a_program_that_is_another_one_is_told(self) -> None:
        with self.assertRaisesRegex(SessionLost, "it wrote what is no answer"):
            self.open(program=["sh", "-c", "echo hello; sleep 60"]).call("list_dir")
        with self.assertRaisesRegex(SessionLost, "an answer without the id of its request"):
            self.open(program=["sh", "-c", "echo '{}'; sleep 60"]).call("list_dir")
        with self.assertRaisesRegex(SessionLost, "it ended with status 0"):
            self.open(program=["sh", "-c", "exit 0"]).call("list_dir")

    def test_a_full_standard_error_stops_nothing(self) -> None:
        command = 'head -c 5000000 /dev/zero | tr "\\0" x >&2; echo last words >&2; exec "$@"'
        jinn = self.open(program=["sh", "-c", command, "sh", *PROGRAM])
        self.assertEqual(jinn.call("list_dir").data["entries"], [])


class Approvals(SyncTest):
    def remove(self, decide: Any) -> Jinn:
        self.write("gone/a", "")
        return self.open(approve=decide)

    def test_a_person_approves(self) -> None:
        questions: list[Question] = []

        def approve(question: Question) -> Decision:
            questions.append(question)
            return "once"

        jinn = self.remove(approve)
        jinn.call("run_shell", {"command": "rm -rf gone"})
        self.assertFalse(self.has("gone"))
        [question] = questions
        self.assertEqual((question.tool, question.args), ("run_shell", {"command": "rm -rf gone"}))
        self.assertIn("rm -rf gone", question.message)
        self.assertEqual(question.permission["type"], "dangerous_command")
        self.assertEqual(question.answers, ("once", "always", "deny"))

    def test_a_person_denies(self) -> None:
        with self.assertRaises(ToolError) as caught:
            self.remove(lambda question: "deny").call("run_shell", {"command": "rm -rf gone", "force": True})
        self.assertEqual(caught.exception.code, "command_blocked")
        self.assertTrue(self.has("gone/a"))

    def test_without_approve_nobody_is_asked(self) -> None:
        with self.assertRaisesRegex(ToolError, "the client cannot ask for it"):
            self.remove(None).call("run_shell", {"command": "rm -rf gone", "force": True})
        self.assertTrue(self.has("gone/a"))

    def test_an_error_of_approve_denies_and_comes_out_of_the_call(self) -> None:
        def approve(question: Question) -> Decision:
            raise LookupError("nobody is there")

        with self.assertRaisesRegex(LookupError, "nobody is there"):
            self.remove(approve).call("run_shell", {"command": "rm -rf gone"})
        self.assertTrue(self.has("gone/a"))

    def test_what_is_no_decision_denies(self) -> None:
        with self.assertRaisesRegex(ValueError, "approve gave 'yes'; it must be one of once, always, deny"):
            self.remove(lambda question: "yes").call("run_shell", {"command": "rm -rf gone"})
        self.assertTrue(self.has("gone/a"))

    def test_other_calls_go_on_while_a_question_is_open_however_many(self) -> None:
        told = threading.Event()
        asked = threading.Event()

        def approve(question: Question) -> Decision:
            asked.set()
            told.wait(60)
            return "once"

        jinn = self.remove(approve)
        removed = jinn.submit("run_shell", {"command": "rm -rf gone"}, parallel=False)
        self.assertTrue(asked.wait(60))
        jinn.call("list_dir")
        # jinn refuses what is more than 1,024.
        futures = [jinn.submit("list_dir", parallel=False) for _ in range(1_200)]
        self.assertTrue(self.has("gone/a"))
        self.assertFalse(any(each.done() for each in futures))
        told.set()
        self.assertEqual([each.exception() for each in futures], [None] * 1_200)
        self.assertIsNone(removed.exception())
        self.assertFalse(self.has("gone"))

    def test_a_call_is_canceled_while_its_question_is_open(self) -> None:
        asked, told = threading.Event(), threading.Event()

        def approve(question: Question) -> Decision:
            asked.set()
            told.wait(60)
            return "once"

        jinn = self.remove(approve)
        future = jinn.submit("run_shell", {"command": "rm -rf gone"})
        self.assertTrue(asked.wait(60))
        self.assertTrue(future.cancel())
        jinn.call("list_dir")
        told.set()
        jinn.call("list_dir")
        self.assertTrue(self.has("gone/a"))


class Ends(SyncTest):
    def test_a_deadline_cancels_the_call_and_the_session_goes_on(self) -> None:
        jinn = self.open()
        jinn.call("list_dir")
        began = time.monotonic()
        with self.assertRaisesRegex(CallTimeout, "more than 3 seconds"):
            jinn.call("run_shell", {"command": "echo $$ > pid; exec sleep 50", "timeout": 60}, timeout=3)
        self.assertLess(time.monotonic() - began, 20)
        pid = self.read_pid()
        self.wait_until(lambda: not is_alive(pid))
        jinn.call("list_dir")

    def test_a_deadline_holds_though_the_process_is_stopped(self) -> None:
        jinn = self.open()
        jinn.call("list_dir")
        pid = self.read_pid_of_jinn()
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(lambda: subprocess.run(["kill", "-CONT", str(pid)], capture_output=True))
        large = [jinn.submit("write_file", {"path": "a", "content": "x" * 200_000}) for _ in range(20)]
        with self.assertRaises(CallTimeout):
            jinn.call("list_dir", timeout=0.3)
        os.kill(pid, signal.SIGCONT)
        self.assertEqual([each.exception() for each in large[:1]], [None])
        wait(large)
        jinn.call("list_dir")

    def test_a_canceled_future_ends_its_command(self) -> None:
        jinn = self.open()
        future = jinn.submit("run_shell", {"command": "echo $$ > pid; exec sleep 50", "timeout": 60})
        pid = self.read_pid()
        self.assertTrue(future.cancel())
        with self.assertRaises(CancelledError):
            future.result()
        self.wait_until(lambda: not is_alive(pid))
        jinn.call("list_dir")

    def test_a_cancel_is_heard_however_much_waits(self) -> None:
        jinn = self.open()
        large = "x" * 200_000
        futures = [jinn.submit("run_shell", {**until_told(f"p{i}"), "stdin": large}) for i in range(40)]
        self.wait_until(lambda: self.has("p0"))
        for future in futures:
            future.cancel()
        jinn.call("list_dir")
        wait(futures)
        self.assertFalse(self.has("p39"))

    def test_a_killed_process_is_told_and_the_next_call_has_a_new_one(self) -> None:
        jinn = self.open()
        edited = jinn.call("write_file", {"path": "a.txt", "content": "one\n"})
        futures = [jinn.submit("run_shell", until_told(f"p{i}")) for i in range(3)]
        self.wait_until(lambda: self.has("p0", "p1", "p2"))
        pid = self.read_pid_of_jinn()
        os.kill(pid, signal.SIGKILL)
        for future in futures:
            with self.assertRaisesRegex(SessionLost, "it ended by signal 9; the call may have run or not"):
                future.result(60)
        self.write("go", "")
        self.assertEqual(jinn.call("read_file", {"path": "a.txt"}).result, "1\tone")
        self.assertNotEqual(self.read_pid_of_jinn(), pid)
        jinn.call("undo", {"action": "restore", "id": edited.meta["undo_id"]})
        self.assertFalse(self.has("a.txt"))

    def test_a_process_killed_between_calls_is_replaced(self) -> None:
        jinn = self.open()
        for _ in range(3):
            jinn.call("list_dir")
            pid = self.read_pid_of_jinn()
            os.kill(pid, signal.SIGKILL)
            self.wait_until(lambda: jinn._process.has_ended)
        jinn.call("list_dir")

    def test_close_ends_the_open_calls_and_the_process(self) -> None:
        jinn = self.open()
        future = jinn.submit("run_shell", until_told("begun"))
        self.wait_until(lambda: self.has("begun"))
        pid = self.read_pid_of_jinn()
        jinn.close()
        with self.assertRaises(SessionClosed):
            future.result(60)
        self.assertFalse(is_alive(pid))
        with self.assertRaisesRegex(SessionClosed, "the session is closed"):
            jinn.call("list_dir")
        jinn.close()

    def test_a_callback_may_close_the_session(self) -> None:
        jinn = self.open()
        closed: Future[None] = Future()

        def close(answered: Future[Any]) -> None:
            try:
                jinn.close()
                closed.set_result(None)
            except RuntimeError as error:
                closed.set_exception(error)

        jinn.submit("list_dir").add_done_callback(close)
        self.assertIsNone(closed.exception(60))
        self.assertFalse(is_alive(self.read_pid_of_jinn()))

    def test_close_ends_a_process_that_does_not_end_by_itself(self) -> None:
        jinn = self.open(program=["sh", "-c", "echo $$ > pid; while :; do sleep 1; done"])
        pid = self.read_pid()
        jinn.close()
        self.assertFalse(is_alive(pid))


    def test_an_interrupt_at_the_terminal_ends_the_call_alone(self) -> None:
        code = """
import os, sys
from jinn import Jinn
with Jinn(sys.argv[1], program=sys.argv[2:], sandbox='off') as jinn:
    try:
        jinn.call("run_shell", {"command": "echo $$ > pid; exec sleep 50", "timeout": 60})
    except KeyboardInterrupt:
        jinn.call("write_file", {"path": "after.txt", "content": "x"})
"""
        command = [sys.executable, "-c", code, str(self.root), *self.options["program"]]
        caller = subprocess.Popen(command, env=self.options["env"], start_new_session=True)
        self.addCleanup(caller.wait)
        command_pid, pid = self.read_pid(), self.read_pid_of_jinn()
        os.killpg(caller.pid, signal.SIGINT)
        self.assertEqual(caller.wait(60), 0)
        self.assertTrue(self.has("after.txt"))
        self.assertEqual(self.read_pid_of_jinn(), pid)
        self.assertFalse(is_alive(command_pid))


class Reports(SyncTest):
    def test_a_long_call_reports(self) -> None:
        reports: list[Progress] = []
        self.open().call("run_shell", {"command": "sleep 3"}, progress=reports.append)
        self.assertGreaterEqual(len(reports), 1)
        self.assertIsInstance(reports[0].message, str)

    def test_an_error_of_progress_cancels_the_call_and_comes_out_of_it(self) -> None:
        def progress(report: Progress) -> None:
            raise LookupError("stop it")

        with self.assertRaisesRegex(LookupError, "stop it"):
            self.open().call("run_shell", until_told("begun"), progress=progress)
