// What most verbs ask about: a model, states of it, and the question's context.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "client/cli/question_options.h"
#include "client/cli/session.h"
#include "client/cli/states.h"

namespace torqued::cli {

struct Subject {
  v1::Model model;
  v1::Context context;  // with the wrench, if any
  States states;

  // Fills what the requests have in common.
  template <class Request>
  void Fill(Request& request) const {
    *request.mutable_context() = context;
    *request.mutable_positions() = states.q;
  }
};

class SubjectOptions {
 public:
  // takes: StateOptions::Takes. The flags as QuestionOptions::Declare.
  void Declare(OptionSet& options, int takes, bool wrench, bool dynamics);
  // `without_states`: the states are not read.
  absl::StatusOr<Subject> Read(Session& session, bool without_states = false) const;

  const StateOptions& states() const { return states_; }
  const std::string& model() const { return model_; }

 private:
  std::string model_, base_;
  StateOptions states_;
  QuestionOptions question_;
};

// "fixed", "floating"; "" is unspecified.
v1::Base ParseBase(const std::string& text);

// A part of an answer that has one number per joint and state.
struct JointPart {
  std::string title;  // "torque"
  Quantity quantity;  // whose names and units it has
  const google::protobuf::RepeatedField<double>* values;
  std::string suffix = "";  // of the column in CSV; empty: the quantity's own
  std::string unit = "";    // of every number; empty: the quantity's own
};

// One state for people: a row per joint; otherwise a row per state with API.md's headings, `time`
// first where known. `title` stands above a table for people. With --out the file gets it, and a
// line says so.
absl::Status ShowJoints(Session& session, const google::protobuf::Message& answer,
                        const v1::AnswerInfo& info, const Subject& subject,
                        const StateOptions& options, const std::string& title,
                        const std::vector<JointPart>& parts);

// "static torque of ur5e@0123456789ab, gravity 0 0 -9.81 m/s^2".
std::string Headline(const std::string& what, const v1::AnswerInfo& info);
// The torque's part of an answer: joint, after the gear or at the motor, as the answer says.
JointPart EffortPart(const v1::AnswerInfo& info, const google::protobuf::RepeatedField<double>* values);
// The same without gravity, for questions that do not depend on it.
std::string KinematicHeadline(const std::string& what, const v1::AnswerInfo& info);
// What else an answer's info says to people: samples outside limits, residuals of --check. "" if
// nothing.
std::string InfoNotes(const v1::AnswerInfo& info);

// A square or rectangular matrix with named rows and columns; sample `index` of `matrices`.
Sheet MatrixSheet(const std::string& title, const v1::Matrices& matrices, int index,
                  const std::vector<std::string>& row_names,
                  const std::vector<std::string>& column_names);
std::vector<std::string> Ids(const std::vector<Column>& columns);

// "sample 3: " in front of titles where there are several samples.
std::string SampleTitle(const States& states, int sample, const std::string& title);

}  // namespace torqued::cli
