(* Call paths through OCaml's functions, into C, and through C into OCaml again: `= path SHARE FUNCTION ...`. *)
let sink = ref 0

let[@inline never] deep_step () =
  for i = 1 to 50000 do sink := !sink + (i land 3) done

let[@inline never] rec deepen depth =
  if depth > 0 then deepen (depth - 1)
  else begin
    let finish = Sys.time () +. 0.2 in
    while Sys.time () < finish do deep_step () done
  end;
  incr sink

let[@inline never] wide () =
  let finish = Sys.time () +. 0.2 in
  while Sys.time () < finish do deep_step () done;
  incr sink

(* The collector, in C, calls it. *)
let[@inline never] last_work _ =
  let finish = Sys.time () +. 0.2 in
  while Sys.time () < finish do deep_step () done

let[@inline never] collect () =
  Gc.finalise last_work (ref 0);
  Gc.full_major ();
  incr sink

let () =
  deepen 3;
  wide ();
  collect ();
  print_endline "= path 33.3 camlPaths__deepen_* camlPaths__deepen_* camlPaths__deepen_* camlPaths__deep_step_*";
  print_endline "= path 33.3 camlPaths__wide_* camlPaths__deep_step_*";
  print_endline "= path 33.3 camlPaths__collect_* caml_gc_full_major caml_start_program camlPaths__last_work_* camlPaths__deep_step_*"
